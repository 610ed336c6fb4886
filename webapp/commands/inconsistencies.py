"""What disagrees in a database, in words for its operator."""

from collections.abc import Iterable
from typing import Final

from webapp.services.operations.consistency import Disagreement, Why

_WORDS: Final[dict[Why, str]] = {
    "no-secrets": "the secrets of its deals are missing",
    "commitments": "its secrets are not those that it committed to",
    "log-has-gaps": "its log does not run from turn 0 to the turn at which it stands",
    "log-unreadable": "its log holds what this release cannot read",
    "log-impossible": "its log tells what cannot have happened",
    "snapshot-missing": "its position is missing, though the log has one",
    "snapshot-unreadable": "its stored position cannot be read",
    "snapshot-differs": "its stored position is not the one that its log leads to",
    "awaiting-differs": "it waits for another seat than its log says",
    "round-differs": "it stands in another round than its log says",
    "status-differs": "it is not as far as its log says",
    "strays": "there are turns that belong to no game",
}


def told(disagreements: Iterable[Disagreement]) -> str:
    """A line for each."""
    return "\n".join(f"  - {_where(one)}: {_WORDS[one.why]}" for one in disagreements)


def _where(one: Disagreement) -> str:
    return f"game {one.slug}" if one.slug else "the log"
