"""The levels of bots that people can choose."""

from typing import Final

from webapp.kernel.refusals import FieldError, FieldErrors

OFFERED_LEVELS: Final = ("easy", "steady", "keen")
"""The levels of ``engine.bots`` that may be chosen, the weakest first; its others are for tests."""
USUAL_LEVEL: Final = "steady"
"""The level where no one is asked."""


def require_offered_level(level: str) -> None:
    """Raise FieldErrors unless people may choose this level."""
    if level not in OFFERED_LEVELS:
        raise FieldErrors(FieldError("level", "unknown"))
