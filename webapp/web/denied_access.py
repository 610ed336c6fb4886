"""Record in the security log that a signed-in person was refused a page that is for others."""

from contextlib import suppress
from typing import Literal, TypeAlias

from flask import request

from webapp.accounts import security_log
from webapp.accounts.person import Banned
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel import urls
from webapp.kernel.errors import Unavailable
from webapp.web.context import current_context
from webapp.web.session import this_device, token, viewer_from_session
from webapp.web.sign_in_gate import is_gated_url

DeniedArea: TypeAlias = Literal["moderation", "table", "club"]


def record_denied_access() -> None:
    """Record it, if anyone is signed in. The same for what exists and what does not, and it never fails."""
    area = _requested_area()
    if area is None or token() is None:
        return
    with suppress(Unavailable, Banned), current_context().transaction() as tx:
        viewer = viewer_from_session(tx)
        if viewer is None or (area == "moderation" and viewer.is_moderator):
            return
        security_log.record(
            tx,
            SecurityEventKind.ACCESS_DENIED,
            account_id=viewer.id,
            network_address=this_device().network_address,
            detail={"area": area},
        )


def _requested_area() -> DeniedArea | None:
    """Return what kind of page the request is for; None for any other page, and for one that cannot exist."""
    if request.endpoint is None:
        return None
    if request.path.startswith(urls.moderation()):
        return "moderation"
    if is_gated_url():
        return "club" if request.path.startswith(urls.clubs()) else "table"
    return None
