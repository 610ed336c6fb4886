"""The names of bots."""

from collections.abc import Iterator, Sequence
from typing import Final

from webapp.accounts.names import are_confusable

_BOT_NAMES: Final = (
    "Agate",
    "Basalt",
    "Cobalt",
    "Dolomite",
    "Epidote",
    "Flint",
    "Garnet",
    "Heliodor",
    "Ilmenite",
    "Jasper",
    "Kunzite",
)
"""Enough for the largest table: nine bots, and two more in case a player and an unseated host use these names."""


def bot_names(taken_names: Sequence[str]) -> Iterator[str]:
    """Return names for new bots at a table, none of them confusable with the names that are taken there."""
    return (
        name for name in _BOT_NAMES if not any(are_confusable(name, other) for other in taken_names)
    )
