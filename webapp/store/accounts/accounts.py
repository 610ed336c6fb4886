"""People, the browsers in which they are signed in, and their asking to sign in."""

from collections.abc import Iterable
from datetime import datetime

import msgspec
from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql

from webapp.store.notifications.opt_outs import decode_opt_outs, opt_outs_json
from webapp.store.play.rows import AccountRow
from webapp.store.redacted import Redacted
from webapp.store.schema.accounts import Account, Session, SignIn

_ACCOUNT = (
    Account.id,
    Account.address,
    Account.name,
    Account.language,
    Account.zone,
    Account.picks_gold,
)


class NewSignIn(Redacted, frozen=True, kw_only=True):
    """Somebody asks to sign in."""

    address: str
    nonce: bytes
    token_hash: bytes
    code_hash: bytes
    browser_hash: bytes
    language: str
    asked_at: datetime
    expires_at: datetime


class SignInRow(Redacted, frozen=True, kw_only=True):
    id: int
    address: str
    nonce: bytes
    code_hash: bytes
    browser_hash: bytes
    language: str
    tries: int
    expires_at: datetime
    used_at: datetime | None


class NewSession(Redacted, frozen=True, kw_only=True):
    token_hash: bytes
    ref: str
    account_id: int
    agent: str
    created_at: datetime
    expires_at: datetime


class SessionRow(Redacted, frozen=True):
    ref: str
    token_hash: bytes
    agent: str
    created_at: datetime


def lock_address(connection: Connection, address: str) -> None:
    """Let those who sign in with this address take turns until the transaction ends."""
    connection.execute(
        select(func.pg_advisory_xact_lock(func.hashtextextended(address.lower(), 1)))
    )


def count_asked(connection: Connection, address: str, *, since: datetime) -> int:
    """How often somebody asked to sign in with this address."""
    return connection.execute(
        select(func.count())
        .select_from(SignIn)
        .where(func.lower(SignIn.address) == address.lower(), SignIn.asked_at > since)
    ).scalar_one()


def count_tries(connection: Connection, address: str, *, since: datetime) -> int:
    """How many codes were tried for this address, in any browser."""
    return connection.execute(
        select(func.coalesce(func.sum(SignIn.tries), 0)).where(
            func.lower(SignIn.address) == address.lower(), SignIn.asked_at > since
        )
    ).scalar_one()


def ask(connection: Connection, sign_in: NewSignIn) -> int:
    """Store the asking; its id."""
    number: int = connection.execute(
        insert(SignIn).values(msgspec.structs.asdict(sign_in)).returning(SignIn.id)
    ).scalar_one()
    return number


def sign_in_by_token(
    connection: Connection, token_hash: bytes, *, lock: bool = False
) -> SignInRow | None:
    query = select(SignIn).where(SignIn.token_hash == token_hash)
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else _sign_in_row(row)


def latest_sign_in(connection: Connection, browser_hash: bytes) -> SignInRow | None:
    """What this browser asked for last."""
    row = connection.execute(
        select(SignIn)
        .where(SignIn.browser_hash == browser_hash)
        .order_by(SignIn.id.desc())
        .limit(1)
    ).first()
    return None if row is None else _sign_in_row(row)


def open_sign_ins(
    connection: Connection, asked: SignInRow, *, now: datetime
) -> tuple[SignInRow, ...]:
    """All that the same browser asked for with the same address and may still use, the newest first; locked."""
    rows = connection.execute(
        select(SignIn)
        .where(
            SignIn.browser_hash == asked.browser_hash,
            func.lower(SignIn.address) == asked.address.lower(),
            SignIn.used_at.is_(None),
            SignIn.expires_at > now,
        )
        .order_by(SignIn.id.desc())
        .with_for_update()
    )
    return tuple(map(_sign_in_row, rows))


def count_try(connection: Connection, sign_ins: Iterable[SignInRow]) -> None:
    """One try more in each of these rows."""
    tried = SignIn.id.in_([sign_in.id for sign_in in sign_ins])
    connection.execute(update(SignIn).where(tried).values(tries=SignIn.tries + 1))


def use(connection: Connection, sign_in_id: int, *, now: datetime) -> None:
    connection.execute(update(SignIn).where(SignIn.id == sign_in_id).values(used_at=now))


def forget_old_sign_ins(connection: Connection, *, before: datetime) -> int:
    """Delete what was asked for long ago; how many."""
    return connection.execute(delete(SignIn).where(SignIn.asked_at < before)).rowcount


def find_or_create(
    connection: Connection, address: str, *, language: str, zone: str, now: datetime
) -> tuple[AccountRow, bool]:
    """The account with this address, and whether it is new."""
    created = connection.execute(
        postgresql.insert(Account)
        .values(address=address, name="", language=language, zone=zone, created_at=now)
        .on_conflict_do_nothing()
        .returning(*_ACCOUNT)
    ).first()
    if created is not None:
        return AccountRow(*created), True
    known = connection.execute(
        select(*_ACCOUNT).where(func.lower(Account.address) == address.lower())
    ).one()
    return AccountRow(*known), False


def change_profile(
    connection: Connection,
    account_id: int,
    *,
    name: str,
    language: str,
    zone: str,
    picks_gold: bool,
) -> None:
    connection.execute(
        update(Account)
        .where(Account.id == account_id)
        .values(name=name, language=language, zone=zone, picks_gold=picks_gold)
    )


def open_session(connection: Connection, session: NewSession) -> None:
    connection.execute(insert(Session).values(msgspec.structs.asdict(session)))


def by_session(connection: Connection, token_hash: bytes, *, now: datetime) -> AccountRow | None:
    """Whose session this is, and what that person has stopped."""
    row = connection.execute(
        select(*_ACCOUNT, opt_outs_json(Account))
        .join(Session, Session.account_id == Account.id)
        .where(Session.token_hash == token_hash, Session.expires_at > now)
    ).first()
    return None if row is None else AccountRow(*row[:-1], opt_outs=decode_opt_outs(row[-1]))


def sessions_of(
    connection: Connection, account_id: int, *, now: datetime
) -> tuple[SessionRow, ...]:
    rows = connection.execute(
        select(Session.ref, Session.token_hash, Session.agent, Session.created_at)
        .where(Session.account_id == account_id, Session.expires_at > now)
        .order_by(Session.created_at.desc(), Session.id.desc())
    )
    return tuple(SessionRow(*row) for row in rows)


def close_by_ref(connection: Connection, account_id: int, ref: str) -> bool:
    """End one of a person's sessions; whether there was such a one."""
    closed = connection.execute(
        delete(Session).where(Session.account_id == account_id, Session.ref == ref)
    )
    return closed.rowcount > 0


def close_by_token(connection: Connection, token_hash: bytes) -> None:
    connection.execute(delete(Session).where(Session.token_hash == token_hash))


def close_others(connection: Connection, account_id: int, token_hash: bytes) -> int:
    """End all of a person's sessions but this one; how many."""
    return connection.execute(
        delete(Session).where(Session.account_id == account_id, Session.token_hash != token_hash)
    ).rowcount


def forget_old_sessions(connection: Connection, *, now: datetime) -> int:
    """Delete sessions that have expired; how many."""
    return connection.execute(delete(Session).where(Session.expires_at <= now)).rowcount


def _sign_in_row(row: Row[*tuple[object, ...]]) -> SignInRow:
    fields = row._mapping  # noqa: SLF001 - SQLAlchemy's public name for it
    return msgspec.convert({name: fields[name] for name in SignInRow.__struct_fields__}, SignInRow)
