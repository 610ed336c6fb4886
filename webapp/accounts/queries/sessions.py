"""Sessions: one row for each signed-in browser of a person."""

from datetime import datetime, timedelta

import msgspec
from sqlalchemy import (
    DateTime,
    LargeBinary,
    bindparam,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from webapp.accounts.person import Person
from webapp.accounts.queries.viewers import viewer_columns, viewer_from
from webapp.accounts.schema import Account, Session
from webapp.kernel.redacted import Redacted
from webapp.kernel.statements import Statement
from webapp.kernel.tx import Tx
from webapp.mail.queries.opt_outs import opt_outs_json


class NewSession(Redacted, frozen=True, kw_only=True):
    token_hash: bytes
    ref: str
    account_id: int
    user_agent: str
    network_address: str | None
    created_at: datetime
    confirmed_at: datetime
    with_passkey: bool
    expires_at: datetime


class SessionRow(Redacted, frozen=True):
    ref: str
    token_hash: bytes
    user_agent: str
    network_address: str | None
    created_at: datetime
    confirmed_at: datetime
    with_passkey: bool


class SessionFacts(Redacted, frozen=True):
    """How and when the person of a session last proved who they are."""

    confirmed_at: datetime
    with_passkey: bool


def add_session(tx: Tx, session: NewSession) -> None:
    tx.execute(insert(Session).values(msgspec.structs.asdict(session)))


def record_use(
    tx: Tx,
    token_hash: bytes,
    *,
    until: datetime,
    lifetime: timedelta,
) -> None:
    """Record that a session that has not expired is in use; it expires at ``until``, or at the end of its lifetime."""
    tx.execute(
        update(Session)
        .where(Session.token_hash == token_hash, Session.expires_at > tx.now)
        .values(active_at=tx.now, expires_at=func.least(until, Session.created_at + lifetime))
    )


def person_by_token(tx: Tx, token_hash: bytes) -> Person | None:
    """Return the person of this session, with the emails that they stopped."""
    for *columns, opt_outs in _ACCOUNT_STATEMENT.run(tx, token_hash=token_hash, now=tx.now):
        return viewer_from(columns, opt_outs)
    return None


_TOKEN_HASH = bindparam("token_hash", type_=LargeBinary)
_ACCOUNT_STATEMENT = Statement(
    lambda: (
        select(*viewer_columns(Account, _TOKEN_HASH), opt_outs_json(Account))
        .join(Session, Session.account_id == Account.id)
        .where(
            Session.token_hash == _TOKEN_HASH,
            Session.expires_at > bindparam("now", type_=DateTime(timezone=True)),
        )
    )
)


def sessions_of_account(tx: Tx, account_id: int) -> tuple[SessionRow, ...]:
    """Return the sessions of an account that have not expired, newest first."""
    rows = tx.execute(
        select(
            Session.ref,
            Session.token_hash,
            Session.user_agent,
            Session.network_address,
            Session.created_at,
            Session.confirmed_at,
            Session.with_passkey,
        )
        .where(Session.account_id == account_id, Session.expires_at > tx.now)
        .order_by(Session.created_at.desc(), Session.id.desc())
    )
    return tuple(SessionRow(*row) for row in rows)


def find_session_facts(tx: Tx, token_hash: bytes) -> SessionFacts | None:
    row = tx.execute(
        select(Session.confirmed_at, Session.with_passkey).where(
            Session.token_hash == token_hash, Session.expires_at > tx.now
        )
    ).first()
    return None if row is None else SessionFacts(*row)


def confirm(tx: Tx, token_hash: bytes, *, with_passkey: bool = False) -> None:
    """Record that the person of this session has just proved who they are."""
    tx.execute(
        update(Session)
        .where(Session.token_hash == token_hash)
        .values(confirmed_at=tx.now, with_passkey=or_(Session.with_passkey, literal(with_passkey)))
    )


def forget_network_addresses(tx: Tx, before: datetime) -> int:
    """Delete the network addresses of sessions that were opened before this instant; return how many."""
    return tx.execute(
        update(Session)
        .where(Session.network_address.is_not(None), Session.created_at < before)
        .values(network_address=None)
    ).rowcount


def delete_by_ref(tx: Tx, account_id: int, ref: str) -> int:
    """Delete one session of an account, if it exists; return how many there were."""
    condition = (Session.account_id == account_id) & (Session.ref == ref)
    return tx.execute(delete(Session).where(condition)).rowcount


def delete_by_token(tx: Tx, token_hash: bytes) -> int | None:
    """Delete a session; return the id of its account, None if there was none."""
    deletion = delete(Session).where(Session.token_hash == token_hash).returning(Session.account_id)
    return tx.execute(deletion).scalar_one_or_none()


def delete_others(tx: Tx, account_id: int, token_hash: bytes) -> int:
    """Delete all sessions of an account except this one; return how many."""
    return tx.execute(
        delete(Session).where(Session.account_id == account_id, Session.token_hash != token_hash)
    ).rowcount


def delete_all(tx: Tx, account_id: int | None) -> int:
    """Delete the sessions of one account, or with None of all accounts; return how many."""
    statement = delete(Session)
    if account_id is not None:
        statement = statement.where(Session.account_id == account_id)
    return tx.execute(statement).rowcount


def delete_expired(tx: Tx, *, now: datetime) -> int:
    """Delete sessions that have expired; return how many."""
    return tx.execute(delete(Session).where(Session.expires_at <= now)).rowcount
