"""Who reads: what the browser's cookie says, and in which language and time zone to answer.

The cookie is signed, not secret: it holds the token of a session on the server, and nothing that its reader may not know.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from flask import request, session

from webapp.i18n import Language, best_language, language_for, zone_for
from webapp.services.accounts.person import Person
from webapp.services.accounts.sessions import SignedIn
from webapp.services.keys import random_text

_BROWSER_SIZE: Final = 24
_LONGEST_PATH: Final = 500
_MOST_PROOFS: Final = 3


class Locale(NamedTuple):
    """The words and the clock of whoever reads a page."""

    language: Language
    zone: ZoneInfo


def token() -> str | None:
    """The token of the reader's session, if the browser has one."""
    return session.get("token")


def known(me: Person | None) -> Person | None:
    """Whom the database found behind the token. Where it found nobody the session has ended, and the token goes too."""
    if me is None:
        session.pop("token", None)
    return me


def browser(tokens: Callable[[int], bytes]) -> str:
    """A name for this browser that nobody can guess: a sign-in is good only where it was asked for."""
    if "browser" not in session:
        session["browser"] = random_text(tokens, _BROWSER_SIZE)
    return str(session["browser"])


def locale_of(me: Person | None) -> Locale:
    """How to talk to this person; a stranger is known by what the browser asks for and by earlier visits."""
    if me is not None:
        return Locale(language_for(me.language), zone_for(me.zone))
    code = session.get("language") or best_language(request.headers.get("Accept-Language", ""))
    return Locale(language_for(code), zone_for(session.get("zone")))


def proofs() -> tuple[str, ...]:
    """What this browser has of addresses that signed in here before."""
    return tuple(session.get("proofs", ()))


def remember(signed_in: SignedIn, proof: str) -> None:
    """Keep a new session in the browser, and nothing else from before: tokens of forms change with it."""
    then = session.get("then")
    _forget_all_but((proof, *proofs()))
    session.permanent = True
    session["token"] = signed_in.token
    remember_words(signed_in.person)
    go_back_to(then)


def remember_words(person: Person) -> None:
    """Keep language and zone for pages that are shown without asking who reads, such as errors."""
    session["language"] = person.language
    session["zone"] = person.zone


def forget() -> None:
    """Sign this browser out."""
    _forget_all_but(proofs())


def _forget_all_but(kept: Iterable[str]) -> None:
    session.clear()
    session["proofs"] = list(dict.fromkeys(kept))[:_MOST_PROOFS]


def go_back_to(path: str | None) -> None:
    """Remember where the reader was going; anything that is no path of this site is forgotten."""
    if path is not None and is_own_path(path):
        session["then"] = path


def way_back(default: str) -> str:
    """Where the reader was going, once."""
    return str(session.pop("then", default))


def is_own_path(text: str) -> bool:
    """Whether a text can only lead to a page of this site."""
    own = text.startswith("/") and not text.startswith(("//", "/\\"))
    return own and len(text) <= _LONGEST_PATH and text.isprintable()
