"""What a sanctioned person is shown: a warning until they have read it, a ban on every page."""

from datetime import datetime

import msgspec

from webapp.accounts.person import Person
from webapp.kernel.keyring import Keyring
from webapp.kernel.tx import Tx
from webapp.moderation.appeals import appeal_token
from webapp.moderation.queries import sanctions
from webapp.moderation.queries.sanctions import SanctionRow


class ShownSanction(msgspec.Struct, frozen=True, kw_only=True):
    """A sanction as the person it is about reads it."""

    is_rename: bool
    reason: str
    until: datetime | None
    appeal_token: str


def unread_warning(tx: Tx, person: Person, *, keys: Keyring) -> ShownSanction | None:
    """Return the warning that the person has not confirmed; asks the database only if there is one."""
    if person.warning_id is None:
        return None
    warning = sanctions.find_many(tx, [person.warning_id]).get(person.warning_id)
    return None if warning is None else _shown_sanction(warning, keys)


def ban_of(tx: Tx, person: Person, *, keys: Keyring) -> ShownSanction | None:
    """Return the ban of a banned person; None if it has just been lifted."""
    ban = sanctions.newest_ban(tx, person.id)
    return None if ban is None else _shown_sanction(ban, keys)


def acknowledge_warning(tx: Tx, person: Person) -> None:
    """Record that the person has read their warning."""
    sanctions.set_warning(tx, person.id, None)


def _shown_sanction(sanction: SanctionRow, keys: Keyring) -> ShownSanction:
    return ShownSanction(
        is_rename=sanction.kind == "rename",
        reason=sanction.reason,
        until=sanction.until,
        appeal_token=appeal_token(sanction, keys),
    )
