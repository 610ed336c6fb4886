"""How well the bots play that people can choose."""

from typing import Final

OFFERED_LEVELS: Final = ("easy", "steady", "keen")
"""The levels of ``engine.bots`` that may be chosen, the weakest first; its others are for tests."""
USUAL_LEVEL: Final = "steady"
"""The level where no one is asked."""
