"""Measure how well a classifier tells roles from times, orders and counts of 5,000 simulated games: no better than chance.

Answers of bots, neutral actions, plans and reminders run through the code of the server; what players choose is drawn without regard to
their roles. As a control the same classifier gets games whose bots answer as soon as they have decided, which it must find.
"""

from importlib import import_module
from typing import NamedTuple

from bench.shared.result_rows import log_progress, row_writer
from tests.support.timed_games import (
    KINDS,
    SeatObservation,
    answer_when_decided,
    play_and_observe_seats,
)

GAME_COUNT = 5_000
CONTROL_GAME_COUNT = 1_000
FOLD_COUNT = 5
INTERVAL_WIDTH = 2.58
"""The distance from the estimate to each end of an interval of 99 percent, in standard errors."""
TARGETS = {
    "roles from times, lower end of the AUC": "<= 0.5",
    "roles from times, upper end of the AUC": ">= 0.5",
    "roles from times, AUC where bots leak": ">= 0.6",
}


class Interval(NamedTuple):
    """The area under the curve, and its interval of 99 percent."""

    auc: float
    low: float
    high: float


def main() -> None:
    """Measure and print all rows."""
    low_metric, high_metric, control_metric = TARGETS
    with row_writer(TARGETS) as rows:
        log_progress(f"{GAME_COUNT:,} games")
        interval = auc_interval(play_and_observe_seats(GAME_COUNT, seed=1))
        log_progress(f"AUC {interval.auc:.4f}, {interval.low:.4f} to {interval.high:.4f}")
        note = f"of {GAME_COUNT:,} games; 99 percent, by rounds"
        rows.write_figure(low_metric, interval.low, note)
        rows.write_figure(high_metric, interval.high, note)
        control_rows = play_and_observe_seats(
            CONTROL_GAME_COUNT, seed=2, bot_answer=answer_when_decided
        )
        bot_rows = [row for row in control_rows if row.kind == "bot"]
        control = auc_interval(bot_rows)
        rows.write_figure(
            control_metric,
            control.auc,
            f"bots of {CONTROL_GAME_COUNT:,} games; {control.low:.3f} to {control.high:.3f}",
        )


def auc_interval(rows: list[SeatObservation]) -> Interval:
    """Return the cross-validated area of a classifier that gets every feature, and who has the seat."""
    features = [[*row.features, *(float(row.kind == kind) for kind in KINDS)] for row in rows]
    roles = [row.is_saboteur for row in rows]
    selection = import_module("sklearn.model_selection")
    probabilities = selection.cross_val_predict(
        import_module("sklearn.ensemble").HistGradientBoostingClassifier(
            max_iter=60, random_state=1
        ),
        features,
        roles,
        groups=[row.round for row in rows],
        cv=selection.GroupKFold(FOLD_COUNT),
        method="predict_proba",
    )[:, 1]
    auc = float(import_module("sklearn.metrics").roc_auc_score(roles, probabilities))
    error = INTERVAL_WIDTH * standard_error(auc, sum(roles), len(roles) - sum(roles))
    return Interval(auc, auc - error, auc + error)


def standard_error(auc: float, positive_count: int, negative_count: int) -> float:
    """Return the standard error of an area under the curve by Hanley and McNeil."""
    positive_term = (positive_count - 1) * (auc / (2 - auc) - auc**2)
    negative_term = (negative_count - 1) * (2 * auc**2 / (1 + auc) - auc**2)
    variance = auc * (1 - auc) + positive_term + negative_term
    return float((variance / (positive_count * negative_count)) ** 0.5)


if __name__ == "__main__":
    main()
