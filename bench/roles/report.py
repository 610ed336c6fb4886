"""The report of `bench roles`: how well bots of each level win, and how well they hide their roles."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import product
from typing import Final, NamedTuple

from bench.roles.evidence_fit import EvidenceFit, fit_evidence
from bench.roles.observed_rounds import ObservedRound, observed_rounds, role_features
from engine.bots.keen import DEFAULT_ROLLOUTS
from engine.bots.policy import Level
from engine.bots.simulation import SimulationSettings, simulate

_ACTION_COUNTS: Final = {"after_1": 1, "after_3": 3, "after_all": None}
_FOLD_COUNT: Final = 5
_PERCENT: Final = 100


class Match(NamedTuple):
    """The levels that play against each other, and at what size."""

    rulebook: str
    players: int
    diggers: Level
    saboteurs: Level
    rollouts: int = DEFAULT_ROLLOUTS
    """How many rollouts a keen bot makes for a decision."""


class ReportRow(NamedTuple):
    """What the report says about a match; the AUC is that of guessing roles after so many public actions of a seat."""

    players: int
    diggers: Level
    saboteurs: Level
    rounds: int
    won_by_saboteurs: float
    """The share of the rounds with a saboteur."""
    auc: dict[str, float]


def report_rows(
    matches: Iterable[Match],
    *,
    games: int,
    seed: bytes,
    processes: int,
    auc: Callable[[Sequence[ObservedRound], int | None], float] | None = None,
) -> Iterator[ReportRow]:
    """Play each match and yield its row of the report.

    The AUC is the better one of a logistic regression and a decision tree: 0.5 says nothing, 1.0 everything.
    """
    auc = auc or role_auc
    for match, rounds in _played_rounds(matches, games, seed, processes):
        yield ReportRow(
            players=match.players,
            diggers=match.diggers,
            saboteurs=match.saboteurs,
            rounds=len(rounds),
            won_by_saboteurs=share_won_by_saboteurs(rounds),
            auc={name: auc(rounds, actions) for name, actions in _ACTION_COUNTS.items()},
        )


def report_lines(rows: Iterable[ReportRow]) -> Iterator[str]:
    """Yield a line of headings, and then one line for each row."""
    headings = [name.replace("_", " ") for name in _ACTION_COUNTS]
    yield (
        f"{'seats':>5}  {'diggers':7} {'saboteurs':9} {'rounds':>6}  {'won by saboteurs':>16}  AUC "
        + "  ".join(headings)
    )
    for row in rows:
        figures = "  ".join(f"{row.auc[name]:{len(name)}.2f}" for name in _ACTION_COUNTS)
        yield (
            f"{row.players:5}  {row.diggers:7} {row.saboteurs:9} {row.rounds:6}"
            f"  {row.won_by_saboteurs * _PERCENT:14.0f} %      {figures}"
        )


def report_object(rows: Iterable[ReportRow]) -> dict[str, object]:
    """Return the report as one JSON object."""
    return {"rows": [row._asdict() for row in rows]}


def evidence_of(
    matches: Iterable[Match], *, games: int, seed: bytes, processes: int
) -> EvidenceFit:
    """Play all matches and return how much each trait of a public action says about a role, at all sizes together."""
    played_rounds = _played_rounds(matches, games, seed, processes)
    return fit_evidence(
        [observed_round for _, rounds in played_rounds for observed_round in rounds]
    )


def _played_rounds(
    matches: Iterable[Match], games: int, seed: bytes, processes: int
) -> Iterator[tuple[Match, list[ObservedRound]]]:
    with ProcessPoolExecutor(processes) as pool:
        for match in matches:
            tasks = [(match, number, seed) for number in range(1, games + 1)]
            played_games = pool.map(_play_match, tasks, chunksize=4)
            yield match, [observed_round for game in played_games for observed_round in game]


def matches_of(
    rulebook: str, sizes: Sequence[int], diggers: Level, saboteurs: Level
) -> list[Match]:
    """Return the match of two levels; if they differ, also with roles swapped and each level against itself."""
    levels = tuple(dict.fromkeys((diggers, saboteurs)))
    pairs = tuple(product(levels, repeat=2))
    return [
        Match(rulebook, size, digger_level, saboteur_level)
        for size in sizes
        for digger_level, saboteur_level in pairs
    ]


def _play_match(task: tuple[Match, int, bytes]) -> list[ObservedRound]:
    match, number, seed = task
    settings = SimulationSettings(
        rulebook=match.rulebook,
        players=match.players,
        levels={"digger": match.diggers, "saboteur": match.saboteurs},
        rollouts=match.rollouts,
    )
    return list(observed_rounds(simulate(settings, name=f"simulated-{number}", seed=seed)))


def share_won_by_saboteurs(rounds: Sequence[ObservedRound]) -> float:
    """Return the share of the rounds with a saboteur that the saboteurs won."""
    contested_rounds = [
        observed_round for observed_round in rounds if "saboteur" in observed_round.roles
    ]
    return sum(observed_round.winners == "saboteurs" for observed_round in contested_rounds) / max(
        len(contested_rounds), 1
    )


def role_auc(rounds: Sequence[ObservedRound], actions_per_seat: int | None) -> float:
    """Return how well the role of a seat can be guessed from its public actions, cross-validated by rounds."""
    features, roles, round_numbers = [], [], []
    for number, observed_round in enumerate(rounds):
        features += role_features(observed_round, actions_per_seat)
        roles += [role == "saboteur" for role in observed_round.roles]
        round_numbers += [number] * len(observed_round.roles)
    return max(
        _cross_validated_auc(classifier, features, roles, round_numbers)
        for classifier in _classifiers()
    )


def _classifiers() -> list[object]:
    scaler = import_module("sklearn.preprocessing").StandardScaler()
    regression = import_module("sklearn.linear_model").LogisticRegression(C=0.3, max_iter=1000)
    tree = import_module("sklearn.tree").DecisionTreeClassifier(max_depth=5, min_samples_leaf=25)
    return [import_module("sklearn.pipeline").make_pipeline(scaler, regression), tree]


def _cross_validated_auc(
    classifier: object,
    features: Sequence[Sequence[float]],
    roles: Sequence[bool],
    round_numbers: Sequence[int],
) -> float:
    selection = import_module("sklearn.model_selection")
    probabilities = selection.cross_val_predict(
        classifier,
        features,
        roles,
        groups=round_numbers,
        cv=selection.GroupKFold(_FOLD_COUNT),
        method="predict_proba",
    )[:, 1]
    return float(import_module("sklearn.metrics").roc_auc_score(roles, probabilities))
