"""The share of turns in time that a table asks of its players, checked wherever someone takes a seat.

New players, who have too few turns for a share, are let in: nowhere else could they show how reliable they are. How many
games they may be in is limited.
"""

from typing import Final

from webapp.pace.late_rules import LateRules
from webapp.services.accounts.person import Person
from webapp.services.clock.reliability import reliability_of
from webapp.services.errors import FieldError, ReliabilityTooLow, out_of_range
from webapp.services.tx import Tx

_FIELD: Final = "lowest_reliability"
_MAX_PERCENT: Final = 100


def missed_condition(tx: Tx, rules: LateRules, person: Person) -> ReliabilityTooLow | None:
    """Return why the person is not reliable enough for a table with these rules; None if they are, or are new."""
    if not rules.lowest_reliability:
        return None
    percent = reliability_of(tx, person.id).percent
    if percent is None or percent >= rules.lowest_reliability:
        return None
    return ReliabilityTooLow(percent=percent, needed_percent=rules.lowest_reliability)


def require_reliability(tx: Tx, rules: LateRules, person: Person) -> None:
    """Raise ReliabilityTooLow if the person is not reliable enough for a table with these rules."""
    missed = missed_condition(tx, rules, person)
    if missed is not None:
        raise missed


def condition_errors(tx: Tx, rules: LateRules, host: Person) -> tuple[FieldError, ...]:
    """Return what is wrong with the condition of a new table: its host must meet it too."""
    if not 0 <= rules.lowest_reliability <= _MAX_PERCENT:
        return (out_of_range(_FIELD, 0, _MAX_PERCENT),)
    missed = missed_condition(tx, rules, host)
    return () if missed is None else (FieldError(_FIELD, "above-own", {**missed.params}),)
