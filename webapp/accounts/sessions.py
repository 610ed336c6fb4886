"""Sessions: a person's signed-in browsers."""

from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Final

from webapp.accounts import security_log
from webapp.accounts.person import Person, admitted_person
from webapp.accounts.queries import accounts, sessions
from webapp.accounts.queries.sessions import NewSession
from webapp.accounts.security_log import SecurityEventKind
from webapp.kernel.database import is_storable
from webapp.kernel.keyring import hash_of, random_token
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx

SESSION_LIFETIME: Final = timedelta(days=180)
"""After this time a person signs in again, however often the session is used."""
SESSION_UNUSED_LIMIT: Final = timedelta(days=60)
"""A session that is not used for this time ends. Turns are days apart, and a game can pause for weeks."""
_REF_SIZE: Final = 9
_MAX_USER_AGENT_LENGTH: Final = 120


class Device(Redacted, frozen=True, kw_only=True):
    """What a browser says of itself, and the network address that its requests come from."""

    user_agent: str = ""
    network_address: str | None = None


class OpenedSession(Redacted, frozen=True, kw_only=True):
    """A new session. ``token`` goes into the cookie and nowhere else."""

    person: Person
    token: str
    invitation_id: int | None = None
    """The invitation to a table that the person was accepting when they requested the email."""


class SessionCard(Redacted, frozen=True, kw_only=True):
    """A browser where a person is signed in; ``ref`` identifies the session but does not grant access."""

    ref: str
    created_at: datetime
    confirmed_at: datetime
    """When the person last proved who they are there."""
    with_passkey: bool
    user_agent: str
    network_address: str | None
    """None once it has been deleted."""
    is_current: bool


def open_session(
    tx: Tx,
    person: Person,
    *,
    device: Device,
    with_passkey: bool = False,
) -> OpenedSession:
    """Open a session for someone who has just proved that this account is theirs."""
    token = random_token(tx.tokens.random_bytes)
    session = NewSession(
        token_hash=hash_of(token),
        ref=random_token(tx.tokens.random_bytes, _REF_SIZE),
        account_id=person.id,
        user_agent=kept_user_agent(device),
        network_address=device.network_address,
        created_at=tx.now,
        confirmed_at=tx.now,
        with_passkey=with_passkey,
        expires_at=tx.now + SESSION_UNUSED_LIMIT,
    )
    sessions.add_session(tx, session)
    security_log.record(
        tx,
        SecurityEventKind.SIGN_IN,
        account_id=person.id,
        network_address=device.network_address,
        detail={"with_passkey": with_passkey},
    )
    return OpenedSession(person=person, token=token)


def record_session_use(tx: Tx, token: str) -> None:
    """Record that a person is on the site, and count the limit for unused sessions from now on.

    No session outlives ``SESSION_LIFETIME``, and one that has ended stays so.
    """
    sessions.record_use(
        tx,
        hash_of(token),
        until=tx.now + SESSION_UNUSED_LIMIT,
        lifetime=SESSION_LIFETIME,
    )


def kept_user_agent(device: Device) -> str:
    """Return the part of a browser's name for itself that is stored."""
    return _printable_characters(device.user_agent)[:_MAX_USER_AGENT_LENGTH]


def person_for(tx: Tx, token: str | None) -> Person | None:
    """Return the person signed in with this cookie, if any. Raises Banned."""
    if not token:
        return None
    return admitted_person(sessions.person_by_token(tx, hash_of(token)), now=tx.now)


def sessions_of(tx: Tx, person: Person, *, token: str) -> tuple[SessionCard, ...]:
    """Return the browsers in which this person is signed in, newest first; ``token`` is the current session's."""
    current_token_hash = hash_of(token)
    rows = sessions.sessions_of_account(tx, person.id)
    return tuple(
        SessionCard(
            ref=row.ref,
            created_at=row.created_at,
            confirmed_at=row.confirmed_at,
            with_passkey=row.with_passkey,
            network_address=row.network_address,
            user_agent=row.user_agent,
            is_current=compare_digest(row.token_hash, current_token_hash),
        )
        for row in rows
    )


def sign_out_browser(tx: Tx, person: Person, ref: str) -> None:
    """End one of the person's sessions. Ending it twice changes nothing, and neither does another person's session."""
    if is_storable(ref) and sessions.delete_by_ref(tx, person.id, ref):
        security_log.record(tx, SecurityEventKind.SESSION_ENDED, account_id=person.id)


def sign_out(tx: Tx, token: str | None) -> None:
    """End the session with this token."""
    account_id = sessions.delete_by_token(tx, hash_of(token)) if token else None
    if account_id is not None:
        security_log.record(tx, SecurityEventKind.SIGN_OUT, account_id=account_id)


def sign_out_other_browsers(tx: Tx, person: Person, *, token: str) -> int:
    """End every session of the person but this one; return how many there were."""
    count = sessions.delete_others(tx, person.id, hash_of(token))
    kind, detail = SecurityEventKind.SIGN_OUT_OTHERS, {"sessions": count}
    security_log.record(tx, kind, account_id=person.id, detail=detail)
    return count


def sign_out_by_operator(tx: Tx, address: str | None) -> int:
    """End every session of the account with this address, or with None of all accounts; return how many there were.

    Raises NotFound if there is no such account.
    """
    account = None if address is None else accounts.find_by_address(tx, address)
    if address is not None and account is None:
        raise NotFound
    account_id = None if account is None else account.id
    security_log.record(
        tx,
        SecurityEventKind.SIGNED_OUT_BY_OPERATOR,
        account_id=None,
        detail={} if account_id is None else {"account": account_id},
    )
    return sessions.delete_all(tx, account_id)


def _printable_characters(text: str) -> str:
    return "".join(filter(str.isprintable, text))
