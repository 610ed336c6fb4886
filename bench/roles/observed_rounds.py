"""What a table saw of each seat in a simulated game, beside the roles: what a report on hiding roles compares."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.bots.distance import NEGLIGIBLE_GAIN, UNREACHABLE_CARD_COUNT
from engine.bots.evidence import suspicions_after
from engine.bots.public_actions import PublicAction, public_actions
from engine.bots.simulation import Simulation
from engine.cards import Role
from engine.events import Side
from engine.narration import Line, LineKey, narrate

ACTION_KINDS = (
    "lay",
    "break",
    "break-own",
    "repair",
    "repair-own",
    "rockfall",
    "look",
    "discard",
    "pass",
)
_MAX_CARDS_NEEDED_NEAR_TREASURE = 3.5
"""The number of cards needed below which an action counts as near the treasure."""


class ObservedRound(NamedTuple):
    """A finished round as an onlooker saw it, and its roles."""

    roles: tuple[Role, ...]
    winners: Side
    actions: Sequence[PublicAction]


def observed_rounds(game: Simulation) -> Iterator[ObservedRound]:
    """Yield the rounds of a simulated game in order."""
    events = (event for turn in game.record.turns for event in turn.events)
    lines = [line for event in events for line in narrate(event, None)]
    start_indexes = [index for index, line in enumerate(lines) if line.key == LineKey.ROUND_DEALT]
    for start, end, result in zip(
        start_indexes, [*start_indexes[1:], len(lines)], game.state.results, strict=True
    ):
        actions = tuple(public_actions(_lines_of_play(lines[start:end]), game.state.mine))
        yield ObservedRound(result.roles, result.winners, actions)


def role_features(observed_round: ObservedRound, actions_per_seat: int | None) -> list[list[float]]:
    """Return for each seat the numbers by which its role could be guessed from its first public actions, or from all (None)."""
    rows: list[list[list[float]]] = [[] for _ in observed_round.roles]
    for index, action in enumerate(observed_round.actions):
        if actions_per_seat is None or len(rows[action.seat]) < actions_per_seat:
            suspicions = suspicions_after(observed_round.actions[:index], len(observed_round.roles))
            rows[action.seat].append(_features(action, suspicions))
    return [_feature_summary(seat_rows, actions_per_seat) for seat_rows in rows]


def _lines_of_play(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines before the roles are shown."""
    ends = (index for index, line in enumerate(lines) if line.key == LineKey.ROUND_ENDED)
    return lines[: next(ends, len(lines))]


def _features(action: PublicAction, suspicions: Sequence[float]) -> list[float]:
    is_near, suspicion_of_target = (
        action.cards_needed < _MAX_CARDS_NEEDED_NEAR_TREASURE,
        suspicions[action.target or 0],
    )
    return [
        *(float(action.kind == kind) for kind in ACTION_KINDS),
        *(float(action.kind == kind and is_near) for kind in ACTION_KINDS),
        action.cards_needed,
        action.gain,
        float(action.gain > NEGLIGIBLE_GAIN),
        float(action.gain < -NEGLIGIBLE_GAIN),
        min(action.detour, UNREACHABLE_CARD_COUNT / 2),
        float(action.kind == "lay" and action.is_dead_end),
        float(action.kind == "rockfall" and action.is_dead_end),
        suspicion_of_target if action.kind == "break" else 0.0,
        suspicion_of_target if action.kind == "repair" else 0.0,
        float(action.had_broken_tool),
        float(action.had_broken_tool and action.kind == "discard"),
    ]


def _feature_summary(rows: Sequence[Sequence[float]], actions_per_seat: int | None) -> list[float]:
    """Return the sums and means of the actions; of a fixed number of actions also each, missing ones as zeros."""
    features_per_action = 2 * len(ACTION_KINDS) + 11
    sums = [sum(row[column] for row in rows) for column in range(features_per_action)]
    means = [total / max(len(rows), 1) for total in sums]
    missing_count = (actions_per_seat or 0) - len(rows)
    single_actions = (
        [*rows, *([[0.0] * features_per_action] * missing_count)] if actions_per_seat else []
    )
    return [float(len(rows)), *sums, *means, *(number for row in single_actions for number in row)]
