"""What emails about accounts are about: codes that prove an identity, and changes of an address."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, case, join, or_, select

from webapp.accounts.schema import AddressChange, SignIn
from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.queries.email_facts import (
    ADDRESSEE_COLUMN_COUNT,
    DEDUP_KEY,
    Addressee,
    AddresseeJoin,
    FactsQuery,
    addressee,
)
from webapp.mail.schema import Notification


class CodeFacts(Redacted, frozen=True):
    """A code or a link with its addressee."""

    addressee: Addressee
    nonce: bytes
    expires_at: datetime
    is_used: bool
    """Whether the code was used, or the change of address confirmed or withdrawn."""
    user_agent: str | None = None
    """The user agent of the browser that requested a code."""


def read_codes(tx: Tx, ids: Sequence[int]) -> dict[int, CodeFacts]:
    """Return the codes that notifications are about."""
    return _CODES.run(tx, ids, _decode)


def read_address_changes(tx: Tx, ids: Sequence[int]) -> dict[int, CodeFacts]:
    """Return the changes of an address that notifications are about; the addressee is the new address for its link, else the old one."""
    return _ADDRESS_CHANGES.run(tx, ids, _decode)


def _decode(*columns: Any) -> CodeFacts:  # noqa: ANN401 - what the columns hold
    person, facts = columns[:ADDRESSEE_COLUMN_COUNT], columns[ADDRESSEE_COLUMN_COUNT:]
    return CodeFacts(addressee(person), *facts)


def _codes_query() -> Select[*tuple[Any, ...]]:
    people = AddresseeJoin(SignIn.address, languages=[SignIn.__table__.c.language])
    return select(
        Notification.id,
        *people.columns(),
        SignIn.nonce,
        SignIn.expires_at,
        SignIn.used_at.is_not(None),
        SignIn.user_agent,
    ).select_from(people.join(join(Notification, SignIn, SignIn.id == DEDUP_KEY)))


def _address_changes_query() -> Select[*tuple[Any, ...]]:
    address: ColumnElement[str] = case(
        (Notification.kind == "address-change", AddressChange.new_address),
        else_=AddressChange.old_address,
    )
    people = AddresseeJoin(address, inviter_id=AddressChange.account_id)
    return select(
        Notification.id,
        *people.columns(),
        AddressChange.nonce,
        AddressChange.expires_at,
        or_(AddressChange.confirmed_at.is_not(None), AddressChange.withdrawn_at.is_not(None)),
    ).select_from(people.join(join(Notification, AddressChange, AddressChange.id == DEDUP_KEY)))


_CODES: Final = FactsQuery(_codes_query)
_ADDRESS_CHANGES: Final = FactsQuery(_address_changes_query)
