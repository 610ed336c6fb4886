"""What a table has chosen to become of late and absent players."""

from datetime import timedelta
from typing import Any, Final, Literal, TypeAlias

import msgspec

AbsencePolicy: TypeAlias = Literal["stop", "bot", "neutral"]
"""What an absence does: it stops the clock up to a cap, lets a bot play, or lets the clock run into the neutral action."""
ReplacementPolicy: TypeAlias = Literal["volunteers", "invitation", "bot"]
_NO_TIME: Final = timedelta(0)


class LateRules(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The rules for late and absent players; those of a game that has chosen none are the defaults."""

    absence: AbsencePolicy = "neutral"
    absence_cap: timedelta = _NO_TIME
    """For how long the absences of one player stop the clock of a game at most."""
    strikes_until_open: int = 0
    """After how many strikes a seat opens for a substitute; 0 for never."""
    replacement: ReplacementPolicy = "volunteers"
    lowest_reliability: int = 0
    """The share of turns in time, in percent, that a player needs to join."""


USUAL_LATE_RULES: Final = LateRules(
    absence="stop", absence_cap=timedelta(days=14), strikes_until_open=3
)
"""With which the form for a new table begins."""


def late_rules_json(rules: LateRules) -> dict[str, Any]:
    """Return what is stored of the rules."""
    fields: dict[str, Any] = msgspec.to_builtins(rules)
    return fields


def late_rules_from(fields: dict[str, Any]) -> LateRules:
    """Return stored rules; those of a game that has chosen none are the defaults."""
    return msgspec.convert(fields, LateRules)
