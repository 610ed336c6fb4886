"""The pages of the ledger and of the security log, for site moderators: each has some entries, the newest first."""

from typing import Final, TypeVar

import msgspec

from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.database import is_storable
from webapp.kernel.rights import SiteRight
from webapp.kernel.tx import Tx
from webapp.moderation.queries import ledger, moderators, security_events
from webapp.moderation.queries.ledger import LedgerFilter, LedgerLine
from webapp.moderation.queries.security_events import SecurityEventRow

__all__ = [
    "LedgerFilter",
    "LedgerLine",
    "LedgerPage",
    "SecurityEventRow",
    "ledger_page",
    "security_page",
]
_PAGE_SIZE: Final = 50
_EntryT = TypeVar("_EntryT", LedgerLine, SecurityEventRow)


class LedgerPage(msgspec.Struct, frozen=True, kw_only=True):
    """What moderators did, to which game, person or club, and why; and what the filter offers."""

    lines: tuple[LedgerLine, ...]
    older_page_before_id: int | None
    """The id before which the next page begins; None if this is the last."""
    moderators: tuple[tuple[str, str], ...]
    """The references and names of everyone who moderates the site now."""


class SecurityPage(msgspec.Struct, frozen=True, kw_only=True):
    """Events of the security log."""

    events: tuple[SecurityEventRow, ...]
    older_page_before_id: int | None
    """The id before which the next page begins; None if this is the last."""


def ledger_page(
    tx: Tx, viewer: Person, ledger_filter: LedgerFilter, *, before_id: int | None
) -> LedgerPage:
    """Return entries before an id. Raises NotFound without the right."""
    require_site_right(viewer, SiteRight.VIEW_LEDGER)
    found_lines: tuple[LedgerLine, ...] = ()
    if all(is_storable(text) for text in ledger_filter if text is not None):
        found_lines = ledger.newest_entries(
            tx,
            ledger_filter,
            viewer_id=viewer.id,
            max_entries=_PAGE_SIZE + 1,
            before_id=before_id,
        )
    lines, older_page_before_id = _first_page(found_lines)
    return LedgerPage(
        lines=lines,
        older_page_before_id=older_page_before_id,
        moderators=moderators.refs_and_names(tx),
    )


def security_page(
    tx: Tx,
    viewer: Person,
    *,
    kind: SecurityEventKind | None,
    person_ref: str | None,
    before_id: int | None,
) -> SecurityPage:
    """Return events of one kind or all, of one person or all, before an id. Raises NotFound without the right."""
    require_site_right(viewer, SiteRight.VIEW_SECURITY_LOG)
    found_events: tuple[SecurityEventRow, ...] = ()
    if person_ref is None or is_storable(person_ref):
        found_events = security_events.newest_events(
            tx,
            limit=_PAGE_SIZE + 1,
            before_id=before_id,
            kind=kind,
            person_ref=person_ref,
            viewer_id=viewer.id,
        )
    events, older_page_before_id = _first_page(found_events)
    return SecurityPage(events=events, older_page_before_id=older_page_before_id)


def _first_page(found_entries: tuple[_EntryT, ...]) -> tuple[tuple[_EntryT, ...], int | None]:
    """Return the entries of a page, and the id before which the next one begins; None if this is the last."""
    entries = found_entries[:_PAGE_SIZE]
    return entries, entries[-1].id if len(found_entries) > _PAGE_SIZE else None
