"""A sign-in under way: what is kept of the asking, and the session that comes of it."""

from datetime import datetime, timedelta
from typing import Final

from webapp.services.accounts.person import LANGUAGES, Person, person_from
from webapp.services.keys import Keyring, Tokens, hash_of, random_text
from webapp.services.tx import Tx
from webapp.store.accounts import accounts
from webapp.store.accounts.accounts import NewSession, NewSignIn, SignInRow
from webapp.store.redacted import Redacted

LIFETIME: Final = timedelta(minutes=10)
"""How long a link or a code may be used."""
SESSION_LIFETIME: Final = timedelta(days=180)
_LONGEST_AGENT: Final = 120


class SignedIn(Redacted, frozen=True, kw_only=True):
    """A new session. ``token`` goes into the cookie and nowhere else."""

    person: Person
    token: str
    expires_at: datetime
    is_new: bool


def new_sign_in(
    address: str, *, browser: str, language: str, keys: Keyring, nonce: bytes, now: datetime
) -> NewSignIn:
    """What is kept of somebody's asking: hashes, and a nonce from which the mail derives link and code."""
    return NewSignIn(
        address=address,
        nonce=nonce,
        token_hash=hash_of(sign_in_token(nonce, keys)),
        code_hash=keys.code_hash(nonce, keys.code(nonce)),
        browser_hash=hash_of(browser),
        language=language if language in LANGUAGES else LANGUAGES[0],
        asked_at=now,
        expires_at=now + LIFETIME,
    )


def sign_in_token(nonce: bytes, keys: Keyring) -> str:
    """The token that the link of a sign-in carries."""
    return keys.token("sign-in", nonce)


def open_session(
    tx: Tx, found: SignInRow, *, agent: str, tokens: Tokens, now: datetime
) -> SignedIn:
    """Use the sign-in up, find or make the account, and open a session."""
    accounts.use(tx.connection, found.id, now=now)
    account, is_new = accounts.find_or_create(
        tx.connection, found.address, language=found.language, zone="UTC", now=now
    )
    token = random_text(tokens)
    session = NewSession(
        token_hash=hash_of(token),
        ref=random_text(tokens, 9),
        account_id=account.id,
        agent=_cleaned_agent(agent),
        created_at=now,
        expires_at=now + SESSION_LIFETIME,
    )
    accounts.open_session(tx.connection, session)
    return SignedIn(
        person=person_from(account), token=token, expires_at=session.expires_at, is_new=is_new
    )


def _cleaned_agent(agent: str) -> str:
    return "".join(filter(str.isprintable, agent))[:_LONGEST_AGENT]
