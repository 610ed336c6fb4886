"""Signing in by mail. There is no sign-up: the first sign-in makes the account, and no answer tells whether there was one."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

import msgspec

from webapp.clock import known_zones
from webapp.services.accounts.addresses import address_from
from webapp.services.accounts.names import cleaned_name, wrong_name
from webapp.services.accounts.person import LANGUAGES, Person, could_be_stored, person_from
from webapp.services.accounts.sessions import SignedIn, new_sign_in, open_session
from webapp.services.errors import FieldError, FieldErrors, NotFound
from webapp.services.keys import Keyring, Tokens, hash_of, same
from webapp.services.tx import Tx
from webapp.store.accounts import accounts
from webapp.store.accounts.accounts import SignInRow
from webapp.store.notifications import outbox
from webapp.store.notifications.outbox import NewNotification
from webapp.store.redacted import Redacted

__all__ = ["NotSignedIn", "NotSignedInReason", "SessionCard", "SignedIn"]

TRIES: Final = 5
"""Codes that may be tried for one asking."""
_ASKED_PER_HOUR: Final = 10
"""Mails that one address gets; whoever asks more often hears the same, and no mail goes out."""
_TRIES_PER_DAY: Final = 20
"""Guesses at the codes of one address in all browsers together; its links go on to work."""
_NONCE_SIZE: Final = 16
_LONGEST_CODE: Final = 40

NotSignedInReason: TypeAlias = Literal[
    "unknown", "expired", "used", "other-browser", "wrong-code", "too-many-tries", "guessed-at"
]


class SessionCard(Redacted, frozen=True, kw_only=True):
    """A browser where somebody is signed in; ``ref`` names the session and opens nothing."""

    ref: str
    created_at: datetime
    agent: str
    is_this: bool


class NotSignedIn(msgspec.Struct, frozen=True, kw_only=True):
    """``guessed-at``: so many codes were tried for the address, in whatever browsers, that none is taken for a day."""

    reason: NotSignedInReason
    tries_left: int | None = None


def ask_to_sign_in(  # noqa: PLR0913 - each of them is somebody else's
    tx: Tx,
    address: str,
    *,
    browser: str,
    language: str,
    keys: Keyring,
    tokens: Tokens,
    now: datetime,
    proofs: Collection[str] = (),
) -> None:
    """Owe a mail with a link and a code to this address, good in this browser alone.

    ``proofs`` are what the browser kept of ``proof_of``. Raises FieldErrors for an address that cannot be. Says nothing
    else: neither whether there is an account, nor whether the address was asked for too often.
    """
    wanted = address_from(address)
    accounts.lock_address(tx.connection, wanted)
    if proof_of(wanted, keys) not in proofs and _is_asked_too_often(tx, wanted, now):
        return
    sign_in = new_sign_in(
        wanted, browser=browser, language=language, keys=keys, nonce=tokens(_NONCE_SIZE), now=now
    )
    number = accounts.ask(tx.connection, sign_in)
    letter = NewNotification(
        kind="sign-in", game_id=None, account_id=None, occasion=number, now=now
    )
    outbox.owe(tx.connection, [letter])
    tx.nudges.add("emails")


def proof_of(address: str, keys: Keyring) -> str:
    """What a browser keeps in which this address has signed in: letters to it cannot be used up by others."""
    return keys.token("signed in before", address.lower())


def look_at_link(
    tx: Tx, token: str, *, browser: str, now: datetime
) -> Literal["good"] | NotSignedInReason:
    """What a press on the link's button would find; consumes nothing, for programs open links too."""
    found = accounts.sign_in_by_token(tx.connection, hash_of(token))
    return _obstacle(found, browser, now) or "good"


def sign_in_by_link(
    tx: Tx, token: str, *, browser: str, agent: str, tokens: Tokens, now: datetime
) -> SignedIn | NotSignedIn:
    """Sign in with the mailed link, once, in the browser that asked."""
    found = accounts.sign_in_by_token(tx.connection, hash_of(token), lock=True)
    obstacle = _obstacle(found, browser, now)
    if obstacle is not None:
        return NotSignedIn(reason=obstacle)
    assert found is not None
    return open_session(tx, found, agent=agent, tokens=tokens, now=now)


def sign_in_by_code(
    tx: Tx, code: str, *, browser: str, agent: str, keys: Keyring, tokens: Tokens, now: datetime
) -> SignedIn | NotSignedIn:
    """Sign in with the code of any letter that is still good, of those to the address for which this browser asked last.

    One code typed is a guess at each of these letters' codes, and a wrong one is counted in the row of each: five tries to
    a code, and in a day no more guesses at an address than if there were one letter, for a second letter spends them twice
    as fast. The address is locked meanwhile. Every try is counted, so refusals are answers too.
    """
    asked = accounts.latest_sign_in(tx.connection, hash_of(browser))
    if asked is None:
        return NotSignedIn(reason="unknown")
    accounts.lock_address(tx.connection, asked.address)
    good = accounts.open_sign_ins(tx.connection, asked, now=now)
    if not good:
        # Good when it was read, and not any more under the lock: then it has just been used.
        return NotSignedIn(reason=_obstacle(asked, browser, now) or "used")
    answer = _guess(tx, good, code, keys=keys, now=now)
    if isinstance(answer, NotSignedIn):
        return answer
    return open_session(tx, answer, agent=agent, tokens=tokens, now=now)


def has_used(tx: Tx, token: str, *, cookie: str | None, now: datetime) -> bool:
    """Whether who is signed in with this cookie has used this link, or its code, already."""
    found = accounts.sign_in_by_token(tx.connection, hash_of(token))
    me = person_for(tx, cookie, now=now)
    if found is None or found.used_at is None or me is None:
        return False
    return found.address.lower() == me.address.lower()


def person_for(tx: Tx, token: str | None, *, now: datetime) -> Person | None:
    """Who is signed in with this cookie."""
    if not token:
        return None
    found = accounts.by_session(tx.connection, hash_of(token), now=now)
    return None if found is None else person_from(found)


def sessions_of(tx: Tx, person: Person, *, token: str, now: datetime) -> tuple[SessionCard, ...]:
    """Where this person is signed in, the newest first; ``token`` is the session that asks."""
    this = hash_of(token)
    rows = accounts.sessions_of(tx.connection, person.id, now=now)
    return tuple(
        SessionCard(
            ref=row.ref,
            created_at=row.created_at,
            agent=row.agent,
            is_this=same(row.token_hash, this),
        )
        for row in rows
    )


def revoke(tx: Tx, person: Person, ref: str) -> None:
    """End one of one's own sessions. Raises NotFound."""
    if not could_be_stored(ref) or not accounts.close_by_ref(tx.connection, person.id, ref):
        raise NotFound


def sign_out(tx: Tx, token: str | None) -> None:
    """End this session."""
    if token:
        accounts.close_by_token(tx.connection, hash_of(token))


def sign_out_elsewhere(tx: Tx, person: Person, *, token: str) -> int:
    """End every session but this one; how many there were."""
    return accounts.close_others(tx.connection, person.id, hash_of(token))


def change_profile(
    tx: Tx, person: Person, *, name: str, language: str, zone: str, picks_gold: bool
) -> Person:
    """Change how one is called and spoken to. Raises FieldErrors for ``name``, ``language`` and ``zone``."""
    cleaned, errors = _profile_from(name, language, zone)
    if errors:
        raise FieldErrors(*errors)
    accounts.change_profile(
        tx.connection,
        person.id,
        name=cleaned,
        language=language,
        zone=zone,
        picks_gold=picks_gold,
    )
    return msgspec.structs.replace(
        person, name=cleaned, language=language, zone=zone, picks_gold=picks_gold
    )


def forget_old(tx: Tx, *, now: datetime) -> int:
    """Delete sessions that have expired and askings of long ago; how many."""
    asked = accounts.forget_old_sign_ins(tx.connection, before=now - timedelta(days=2))
    return asked + accounts.forget_old_sessions(tx.connection, now=now)


def _obstacle(found: SignInRow | None, browser: str, now: datetime) -> NotSignedInReason | None:
    if found is None:
        return "unknown"
    # Before the browser, which takes another name as soon as somebody has signed in there.
    if found.used_at is not None:
        return "used"
    if found.expires_at <= now:
        return "expired"
    return None if same(found.browser_hash, hash_of(browser)) else "other-browser"


def _is_asked_too_often(tx: Tx, address: str, now: datetime) -> bool:
    hour_ago = now - timedelta(hours=1)
    return accounts.count_asked(tx.connection, address, since=hour_ago) >= _ASKED_PER_HOUR


def _guess(
    tx: Tx, good: Sequence[SignInRow], code: str, *, keys: Keyring, now: datetime
) -> SignInRow | NotSignedIn:
    """The sign-in whose code this is; a wrong guess is counted wherever it might have been right."""
    today = _guesses_left(tx, good[0].address, now)
    tried = _to_be_tried([row.tries for row in good], today)
    if not tried:
        return NotSignedIn(reason="guessed-at" if today <= 0 else "too-many-tries", tries_left=0)
    rows = [good[place] for place in tried]
    right = [row for row in rows if same(keys.code_hash(row.nonce, _digits(code)), row.code_hash)]
    accounts.count_try(tx.connection, right[:1] or rows)
    if right:
        return right[0]
    left = _codes_left([row.tries + 1 for row in rows], today - len(rows))
    return NotSignedIn(reason="wrong-code", tries_left=left)


def _guesses_left(tx: Tx, address: str, now: datetime) -> int:
    """How many guesses at this address are left for today, in all browsers."""
    since = now - timedelta(days=1)
    return _TRIES_PER_DAY - accounts.count_tries(tx.connection, address, since=since)


def _to_be_tried(tries: Sequence[int], today: int) -> list[int]:
    """Which letters a code is compared with: those with tries left, as many as today's guesses are enough for."""
    return [place for place, count in enumerate(tries) if count < TRIES][: max(today, 0)]


def _codes_left(tries: Sequence[int], today: int) -> int:
    """How many codes more can be typed."""
    tried = _to_be_tried(tries, today)
    if not tried:
        return 0
    return 1 + _codes_left([tries[place] + 1 for place in tried], today - len(tried))


def _digits(code: str) -> str:
    """The digits of what was typed: people copy spaces and dashes along."""
    return "".join(letter for letter in code[:_LONGEST_CODE] if letter.isdecimal())


def _profile_from(name: str, language: str, zone: str) -> tuple[str, list[FieldError]]:
    """The name as it will be shown, and everything that is wrong."""
    cleaned = cleaned_name(name)
    errors = wrong_name(cleaned)
    if language not in LANGUAGES:
        errors.append(FieldError("language", "unknown"))
    if zone not in known_zones():
        errors.append(FieldError("zone", "unknown"))
    return cleaned, errors
