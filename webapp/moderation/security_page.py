"""The page of the security log, for site moderators."""

from typing import Final

import msgspec

from webapp.accounts.person import Person, is_storable
from webapp.accounts.relations import require_site_right
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.rights import SiteRight
from webapp.kernel.tx import Tx
from webapp.moderation.queries import security_events
from webapp.moderation.queries.security_events import SecurityEventRow

__all__ = ["SecurityEventRow", "SecurityPage", "security_page"]
PAGE_SIZE: Final = 50


class SecurityPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of events, newest first. ``older_page_before_id`` is the id before which the next page begins; None if it is the last."""

    events: tuple[SecurityEventRow, ...]
    older_page_before_id: int | None


def security_page(
    tx: Tx,
    viewer: Person,
    *,
    kind: SecurityEventKind | None,
    person_ref: str | None,
    before: int | None,
) -> SecurityPage:
    """Return events of one kind or all, of one person or all, before an id. Raises NotFound without the right."""
    require_site_right(viewer, SiteRight.VIEW_SECURITY_LOG)
    if person_ref is not None and not is_storable(person_ref):
        return SecurityPage(events=(), older_page_before_id=None)
    found_events = security_events.newest_events(
        tx,
        limit=PAGE_SIZE + 1,
        before_id=before,
        kind=kind,
        person_ref=person_ref,
        viewer_id=viewer.id,
    )
    shown_events = found_events[:PAGE_SIZE]
    return SecurityPage(
        events=shown_events,
        older_page_before_id=shown_events[-1].id if len(found_events) > PAGE_SIZE else None,
    )
