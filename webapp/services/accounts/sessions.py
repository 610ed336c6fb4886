"""Sessions: the browsers in which a person is signed in."""

from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Final

from webapp.services.accounts.person import Person, is_storable, person_from
from webapp.services.errors import NotFound
from webapp.services.keys import RandomBytes, hash_of, random_token
from webapp.services.tx import Tx
from webapp.store.accounts import accounts, sessions, sign_ins
from webapp.store.accounts.sessions import NewSession
from webapp.store.accounts.sign_ins import SignInRow
from webapp.store.redacted import Redacted

SESSION_LIFETIME: Final = timedelta(days=180)
_SIGN_INS_KEPT_FOR: Final = timedelta(days=2)
"""Longer than the day over which wrong codes are counted."""
_REF_SIZE: Final = 9
_MAX_USER_AGENT_LENGTH: Final = 120


class SignedIn(Redacted, frozen=True, kw_only=True):
    """A new session. ``token`` goes into the cookie and nowhere else."""

    person: Person
    token: str


class SessionCard(Redacted, frozen=True, kw_only=True):
    """A browser where a person is signed in; ``ref`` identifies the session but does not grant access."""

    ref: str
    created_at: datetime
    user_agent: str
    is_current: bool


def open_session(
    tx: Tx, sign_in: SignInRow, *, user_agent: str, tokens: RandomBytes, now: datetime
) -> SignedIn:
    """Mark the sign-in as used, find or create the account, and open a session."""
    sign_ins.mark_used(tx.connection, sign_in.id, now=now)
    account = accounts.find_or_create(
        tx.connection, sign_in.address, language=sign_in.language, zone="UTC", now=now
    )
    token = random_token(tokens)
    session = NewSession(
        token_hash=hash_of(token),
        ref=random_token(tokens, _REF_SIZE),
        account_id=account.id,
        user_agent=_printable(user_agent)[:_MAX_USER_AGENT_LENGTH],
        created_at=now,
        expires_at=now + SESSION_LIFETIME,
    )
    sessions.add(tx.connection, session)
    return SignedIn(person=person_from(account), token=token)


def person_for(tx: Tx, token: str | None, *, now: datetime) -> Person | None:
    """Return the person signed in with this cookie, if any."""
    if not token:
        return None
    found = sessions.account_by_token(tx.connection, hash_of(token), now=now)
    return None if found is None else person_from(found)


def sessions_of(tx: Tx, person: Person, *, token: str, now: datetime) -> tuple[SessionCard, ...]:
    """Return where this person is signed in, newest first; ``token`` is the current session's."""
    current = hash_of(token)
    rows = sessions.of_account(tx.connection, person.id, now=now)
    return tuple(
        SessionCard(
            ref=row.ref,
            created_at=row.created_at,
            user_agent=row.user_agent,
            is_current=compare_digest(row.token_hash, current),
        )
        for row in rows
    )


def sign_out_browser(tx: Tx, person: Person, ref: str) -> None:
    """End one of the person's sessions. Raises NotFound."""
    if not is_storable(ref) or not sessions.delete_by_ref(tx.connection, person.id, ref):
        raise NotFound


def sign_out(tx: Tx, token: str | None) -> None:
    """End the session with this token."""
    if token:
        sessions.delete_by_token(tx.connection, hash_of(token))


def sign_out_other_browsers(tx: Tx, person: Person, *, token: str) -> int:
    """End every session of the person but this one; return how many there were."""
    return sessions.delete_others(tx.connection, person.id, hash_of(token))


def delete_expired(tx: Tx, *, now: datetime) -> int:
    """Delete expired sessions and old sign-in requests; return how many."""
    requests = sign_ins.delete_old(tx.connection, before=now - _SIGN_INS_KEPT_FOR)
    return requests + sessions.delete_expired(tx.connection, now=now)


def _printable(text: str) -> str:
    return "".join(filter(str.isprintable, text))
