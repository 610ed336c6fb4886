"""The page of the ledger, for site moderators: what moderators did, to which game, person or club, and why."""

from typing import Final

import msgspec

from webapp.accounts.person import Person, is_storable
from webapp.accounts.relations import require_site_right
from webapp.kernel.rights import SiteRight
from webapp.kernel.tx import Tx
from webapp.moderation.queries import ledger, moderators
from webapp.moderation.queries.ledger import LedgerFilter, LedgerLine

__all__ = ["LedgerFilter", "LedgerLine", "LedgerPage", "ledger_page"]
PAGE_SIZE: Final = 50


class LedgerPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of entries, newest first, and what the filter offers."""

    lines: tuple[LedgerLine, ...]
    older_page_before_id: int | None
    """The id before which the next page begins; None if this is the last."""
    moderators: tuple[tuple[str, str], ...]
    """The references and names of everyone who moderates the site now."""


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
            max_entries=PAGE_SIZE + 1,
            before_id=before_id,
        )
    shown_lines = found_lines[:PAGE_SIZE]
    return LedgerPage(
        lines=shown_lines,
        older_page_before_id=shown_lines[-1].id if len(found_lines) > PAGE_SIZE else None,
        moderators=moderators.refs_and_names(tx),
    )
