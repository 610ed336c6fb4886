"""The page of a person for site moderators: games, reliability, emails, sessions, sanctions and what was reported."""

from typing import Final

from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right
from webapp.clock.pace.calendar import lies_ahead
from webapp.clock.queries.reliability import Reliability
from webapp.clock.reliability import reliability_of
from webapp.kernel.database import is_storable
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.rights import SiteRight
from webapp.kernel.tx import Tx
from webapp.moderation.queries.person_detail import PersonDetail, read_person
from webapp.moderation.sanctions import SanctionKind

_PERCENT: Final = 100


class PersonPage(Redacted, frozen=True, kw_only=True):
    """What the page shows."""

    detail: PersonDetail
    late_percent: int | None
    """Per cent of the person's turns that the clock had to play although they knew of them; None if there were no turns."""
    reliability: Reliability
    """As other players see it before they join a table."""
    is_banned: bool
    offered: tuple[SanctionKind, ...]
    """The acts that the viewer may try."""


def person_page(tx: Tx, viewer: Person, ref: str) -> PersonPage:
    """Return the page. Raises NotFound if the viewer is no site moderator, or there is no such person."""
    require_site_right(viewer, SiteRight.VIEW_PERSON)
    detail = read_person(tx, ref) if is_storable(ref) else None
    if detail is None:
        raise NotFound
    is_banned = lies_ahead(detail.person.banned_until, now=tx.now)
    is_exempt = detail.person.is_moderator
    if detail.person.id == viewer.id:
        # What others have reported about a moderator is for the other moderators.
        detail = detail._replace(reports=())
    return PersonPage(
        detail=detail,
        late_percent=_late_percent(detail),
        reliability=reliability_of(tx, detail.person.id),
        is_banned=is_banned,
        offered=() if is_exempt else ("warn", "rename", "unban" if is_banned else "ban"),
    )


def _late_percent(detail: PersonDetail) -> int | None:
    counts = detail.counts
    return round(_PERCENT * counts.missed_turn_count / counts.turns) if counts.turns else None
