"""Emailed codes: one row per email that lets a person sign in or confirm who they are."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import ColumnElement, Row, and_, case, delete, exists, func, insert, select, update
from sqlalchemy.dialects import postgresql

from webapp.accounts.schema import SignIn, SignInPause
from webapp.kernel.redacted import Redacted
from webapp.kernel.schema import folded
from webapp.kernel.tx import Tx

CodePurpose: TypeAlias = Literal["sign-in", "identity"]


class NewSignIn(Redacted, frozen=True, kw_only=True):
    purpose: CodePurpose
    address: str
    nonce: bytes
    """The nonce from which the email derives link and code; the row itself holds only hashes of them."""
    token_hash: bytes
    pause_hash: bytes
    code_hash: bytes
    browser_hash: bytes
    user_agent: str
    source: str | None
    language: str
    invitation_id: int | None
    requested_at: datetime
    expires_at: datetime


class SignInRow(Redacted, frozen=True, kw_only=True):
    id: int
    purpose: CodePurpose
    address: str
    nonce: bytes
    code_hash: bytes
    browser_hash: bytes
    language: str
    invitation_id: int | None
    tries: int
    expires_at: datetime
    used_at: datetime | None


def lock_address(tx: Tx, address: str) -> None:
    """Make other transactions that lock this mailbox wait until this one ends."""
    tx.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(folded(address), 1))))


def add_sign_in(tx: Tx, sign_in: NewSignIn) -> int:
    """Store a sign-in request and return its id."""
    sign_in_id: int = tx.execute(
        insert(SignIn).values(msgspec.structs.asdict(sign_in)).returning(SignIn.id)
    ).scalar_one()
    return sign_in_id


class RequestCounts(NamedTuple):
    """How many codes were requested for one purpose and one mailbox."""

    total: int
    from_source: int
    newest_at: datetime | None


def count_requests(
    tx: Tx,
    purpose: CodePurpose,
    address: str,
    *,
    source: str | None,
    since: datetime,
) -> RequestCounts:
    """Count codes by all sources and by this one, and return when the newest was requested."""
    row = tx.execute(
        select(
            func.count(),
            func.count().filter(SignIn.source == source),
            func.max(SignIn.requested_at),
        )
        .select_from(SignIn)
        .where(_is_code_for_mailbox(purpose, address), SignIn.requested_at > since)
    ).one()
    return RequestCounts(*row)


def count_tries(tx: Tx, purpose: CodePurpose, address: str, *, since: datetime) -> int:
    """Return how many codes were tried for this purpose and this mailbox, in all browsers."""
    return tx.execute(
        select(func.coalesce(func.sum(SignIn.tries), 0)).where(
            _is_code_for_mailbox(purpose, address), SignIn.requested_at > since
        )
    ).scalar_one()


def count_all_tries(tx: Tx, *, since: datetime) -> int:
    """Return how many codes were tried for codes requested since then, on the whole site; right ones are left out."""
    wrong_tries = SignIn.tries - case((SignIn.used_at.is_not(None), 1), else_=0)
    count = tx.execute(
        select(func.coalesce(func.sum(func.greatest(wrong_tries, 0)), 0)).where(
            SignIn.requested_at > since
        )
    ).scalar_one()
    return int(count)


def find_by_token(tx: Tx, token_hash: bytes, *, lock: bool = False) -> SignInRow | None:
    query = select(SignIn).where(SignIn.token_hash == token_hash)
    row = tx.execute(query.with_for_update() if lock else query).first()
    return None if row is None else _sign_in_row(row)


def latest_of_browser(
    tx: Tx, browser_hash: bytes, purpose: CodePurpose = "sign-in"
) -> SignInRow | None:
    """Return the newest code that this browser requested for this purpose."""
    row = tx.execute(
        select(SignIn)
        .where(SignIn.browser_hash == browser_hash, SignIn.purpose == purpose)
        .order_by(SignIn.id.desc())
        .limit(1)
    ).first()
    return None if row is None else _sign_in_row(row)


def usable_codes_like(tx: Tx, sign_in: SignInRow) -> tuple[SignInRow, ...]:
    """Return and lock all usable codes of the same purpose, browser and address, newest first."""
    rows = tx.execute(
        select(SignIn)
        .where(
            SignIn.browser_hash == sign_in.browser_hash,
            _is_code_for_mailbox(sign_in.purpose, sign_in.address),
            # Addresses with different tags are different accounts.
            func.lower(SignIn.address) == sign_in.address.lower(),
            SignIn.used_at.is_(None),
            SignIn.expires_at > tx.now,
        )
        .order_by(SignIn.id.desc())
        .with_for_update()
    )
    return tuple(map(_sign_in_row, rows))


def add_try(tx: Tx, sign_ins: Iterable[SignInRow]) -> None:
    """Add one try to each of these sign-ins."""
    ids = [sign_in.id for sign_in in sign_ins]
    tx.execute(update(SignIn).where(SignIn.id.in_(ids)).values(tries=SignIn.tries + 1))


def mark_used(tx: Tx, sign_in_id: int) -> None:
    tx.execute(update(SignIn).where(SignIn.id == sign_in_id).values(used_at=tx.now))


def address_of_pause_token(tx: Tx, token_hash: bytes) -> str | None:
    """Return the address whose sign-in emails the token of an email stops; None if there is no such token any more."""
    return tx.execute(select(SignIn.address).where(SignIn.pause_hash == token_hash)).scalar()


def pause(tx: Tx, address: str, *, until: datetime) -> None:
    """Let a mailbox get no sign-in emails until then, and let those that it got be of no use."""
    statement = postgresql.insert(SignInPause).values(address=folded(address), until=until)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=[SignInPause.address], set_={"until": statement.excluded.until}
        )
    )
    tx.execute(
        update(SignIn)
        .where(_is_code_for_mailbox("sign-in", address))
        .where(SignIn.used_at.is_(None), SignIn.expires_at > tx.now)
        .values(expires_at=tx.now)
    )


def is_paused(tx: Tx, address: str) -> bool:
    """Return whether a mailbox gets no sign-in emails at present."""
    is_active = exists().where(SignInPause.address == folded(address), SignInPause.until > tx.now)
    return bool(tx.execute(select(is_active)).scalar_one())


def delete_old(tx: Tx, before: datetime) -> int:
    """Delete sign-ins requested before this instant, and pauses that were over then; return how many sign-ins."""
    tx.execute(delete(SignInPause).where(SignInPause.until < before))
    return tx.execute(delete(SignIn).where(SignIn.requested_at < before)).rowcount


def _is_code_for_mailbox(purpose: CodePurpose, address: str) -> ColumnElement[bool]:
    return and_(SignIn.purpose == purpose, folded(SignIn.address) == folded(address))


def _sign_in_row(row: Row[*tuple[object, ...]]) -> SignInRow:
    fields = row._mapping  # noqa: SLF001 - SQLAlchemy's public name for it
    return msgspec.convert({name: fields[name] for name in SignInRow.__struct_fields__}, SignInRow)
