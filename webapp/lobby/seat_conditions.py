"""What a person must meet to take a seat: room for another game, and the share of turns in time that the table asks for.

A person may be in few games at first, and in one more for every game they have finished with other people, so that newcomers who
leave without a word keep only a few tables waiting. Newcomers have too few turns for a share, and meet any condition.
"""

from typing import Final

from webapp.accounts.person import Person
from webapp.accounts.queries.accounts import lock_account
from webapp.clock.pace.late_rules import LateRules
from webapp.clock.reliability import reliability_of
from webapp.kernel.errors import (
    DenialReason,
    FieldError,
    NotAllowed,
    ReliabilityTooLow,
    out_of_range,
)
from webapp.kernel.tx import Tx
from webapp.lobby.queries import game_counts
from webapp.site.current_settings import limit_of

MAX_GAMES_OF_NEWCOMER: Final = 3
"""Games that someone who has finished none with other people may be in."""
_FIELD: Final = "lowest_reliability"
_MAX_PERCENT: Final = 100


def require_room_for_game(tx: Tx, person: Person) -> None:
    """Lock the person's count of games, and raise NotAllowed if they are in as many as they may be in."""
    lock_game_count(tx, person)
    if not has_room_for_game(tx, person.id):
        raise NotAllowed(DenialReason.TOO_MANY_GAMES)


def lock_game_count(tx: Tx, person: Person) -> None:
    """Make others who seat this person wait until this transaction ends, so that two games at once are counted one by one.

    To be called after the game is locked: games are locked before accounts.
    """
    lock_account(tx, person.id)


def has_room_for_game(tx: Tx, account_id: int) -> bool:
    """Return whether the person may be in another game: up to the games they have finished and three, and the site's limit.

    A seat counts from the moment it is taken, because the cards are dealt without asking again.
    """
    counts = game_counts.count_games(tx, account_id)
    return counts.current < min(counts.finished + MAX_GAMES_OF_NEWCOMER, limit_of(tx, "most_games"))


def require_reliability(tx: Tx, rules: LateRules, person: Person) -> None:
    """Raise ReliabilityTooLow if the person is not reliable enough for a table with these rules."""
    missed = missed_condition(tx, rules, person)
    if missed is not None:
        raise missed


def missed_condition(tx: Tx, rules: LateRules, person: Person) -> ReliabilityTooLow | None:
    """Return why the person is not reliable enough for a table with these rules; None if they are, or are new."""
    if not rules.lowest_reliability:
        return None
    percent = reliability_of(tx, person.id).percent
    if percent is None or percent >= rules.lowest_reliability:
        return None
    return ReliabilityTooLow(percent=percent, needed_percent=rules.lowest_reliability)


def condition_errors(tx: Tx, rules: LateRules, host: Person) -> tuple[FieldError, ...]:
    """Return what is wrong with the condition of a new table: its host must meet it too."""
    if not 0 <= rules.lowest_reliability <= _MAX_PERCENT:
        return (out_of_range(_FIELD, 0, _MAX_PERCENT),)
    missed = missed_condition(tx, rules, host)
    return () if missed is None else (FieldError(_FIELD, "above-own", {**missed.params}),)
