"""The archive of a person: the games they have finished, newest first, with a filter."""

from collections.abc import Mapping
from typing import Final

from engine.rulebooks.catalogue import RULEBOOKS
from webapp.accounts.person import Person, is_storable
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.queries import results
from webapp.play.queries.results import OwnResultFilter, OwnResultRow

GAMES_PER_PAGE: Final = 25
_YEAR_DIGITS: Final = 4
_IS_WON: Final = {"won": True, "lost": False}


class ArchivePage(Redacted, frozen=True, kw_only=True):
    games: tuple[OwnResultRow, ...]
    total: int
    """How many games the filter leaves."""
    won: int
    """How many of them the viewer has won."""
    clubs: tuple[tuple[str, str], ...]
    """The clubs in which the viewer has finished games, as slugs and names."""
    next_before: str | None
    """The game after which the next page begins; None on the last one."""


def archive_page(
    tx: Tx, person: Person, query: Mapping[str, str | None], *, before: str | None
) -> ArchivePage:
    """Return a page of the person's finished games. A game ``before`` that is not theirs leads to an empty page."""
    result_filter = _filter_from(query)
    rows = results.own_results(
        tx,
        person.id,
        result_filter,
        before=before if before is None or is_storable(before) else "",
        limit=GAMES_PER_PAGE + 1,
    )
    total, won = results.count_own_results(tx, person.id, result_filter)
    games = rows[:GAMES_PER_PAGE]
    return ArchivePage(
        games=games,
        total=total,
        won=won,
        clubs=results.clubs_of_results(tx, person.id),
        next_before=games[-1].slug if len(rows) > GAMES_PER_PAGE else None,
    )


def _filter_from(query: Mapping[str, str | None]) -> OwnResultFilter:
    """Return the filter of an address; what means nothing filters nothing."""
    club, rulebook, year = (query.get(name) or "" for name in ("club", "rulebook", "year"))
    is_year = year.isascii() and year.isdigit() and len(year) == _YEAR_DIGITS
    return OwnResultFilter(
        opponent=_storable(query.get("opponent")),
        club=club if club.isascii() and club.isalnum() else None,
        rulebook=rulebook if rulebook in RULEBOOKS else None,
        is_won=_IS_WON.get(query.get("result") or ""),
        year=int(year) if is_year else None,
    )


def _storable(name: str | None) -> str | None:
    """Return a name without what Postgres rejects."""
    if name is None:
        return None
    return name.replace("\0", "").encode("utf-8", "ignore").decode()
