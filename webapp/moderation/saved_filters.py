"""Saved filters of the dashboard: named addresses of the list, for the moderator who saved them."""

from typing import Final

from webapp.accounts.person import Person
from webapp.kernel.counting_locks import lock_count
from webapp.kernel.errors import FieldError, FieldErrors
from webapp.kernel.rights import SiteRight
from webapp.kernel.tx import Tx
from webapp.moderation.queries import filter_choices
from webapp.moderation.relations import require_site_right

MAX_NAME_LENGTH: Final = 40
_MOST_FILTERS: Final = 20


def save_filter(tx: Tx, viewer: Person, *, name: str, path: str) -> None:
    """Save the address of a filtered list. Raises NotFound, and FieldErrors for ``name``."""
    require_site_right(viewer, SiteRight.VIEW_DASHBOARD)
    if len(name) > MAX_NAME_LENGTH:
        raise FieldErrors(FieldError("name", "too-long", {"max": MAX_NAME_LENGTH}))
    lock_count(tx, "filters", viewer.id)
    if filter_choices.count(tx, viewer.id) >= _MOST_FILTERS:
        raise FieldErrors(FieldError("name", "too-many", {"max": _MOST_FILTERS}))
    filter_choices.save_filter(tx, viewer.id, name=name, query=path)


def delete_filter(tx: Tx, viewer: Person, number: int) -> None:
    """Delete one of the moderator's own filters. Raises NotFound if the viewer is no moderator."""
    require_site_right(viewer, SiteRight.VIEW_DASHBOARD)
    filter_choices.remove_filter(tx, viewer.id, number)
