"""The browser's session: who is signed in, in which language and time zone to answer, and that the session is in use.

The cookie is signed, not secret: it holds the token of a session on the server, and nothing that its viewer may not know.

The use of a session is recorded once a minute, browser and process, after the response is made. A session that is used
does not end, and emails about turns wait for viewers who are on the site.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from flask import Flask, Response, redirect, request, session
from flask.sessions import SecureCookieSessionInterface
from flask.typing import ResponseReturnValue
from itsdangerous import URLSafeTimedSerializer
from werkzeug.datastructures import LanguageAccept

from webapp.accounts import identity
from webapp.accounts.person import Banned, Person
from webapp.accounts.sessions import Device, OpenedSession, person_for, record_session_use
from webapp.kernel import urls
from webapp.kernel.i18n import (
    DEFAULT_LANGUAGE,
    TRANSLATED_LANGUAGES,
    Locale,
    language_for,
    zone_for,
)
from webapp.kernel.keyring import random_token
from webapp.kernel.refusals import Unavailable
from webapp.kernel.tx import Tx
from webapp.web.context import current_context
from webapp.web.security_headers import clear_site_data


class SessionCookies(SecureCookieSessionInterface):
    """Sessions in cookies that only this installation can sign."""

    digest_method: Callable[..., Any] = staticmethod(hashlib.sha256)

    def __init__(self) -> None:
        self._serializer: URLSafeTimedSerializer | None = None

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return what signs the cookies of the one application that uses this, whose keys never change."""
        if self._serializer is None:
            self._serializer = super().get_signing_serializer(app)
        return self._serializer


_BROWSER_ID_BYTES: Final = 24
_MAX_RETURN_PATH_LENGTH: Final = 500
_MAX_ADDRESS_PROOFS: Final = 3
_SEAT_REQUEST_KEY: Final = "seat_request"
_FIRST_GAME_KEY: Final = "first_game"
_REQUESTED_WITHOUT_VIEWERS: Final = frozenset({"static", "page_version.show_page_version"})
"""Scripts ask for a version for as long as a page is open, whether anyone reads it or not."""


class SignInRequired(Exception):
    """The request needs a signed-in player. Answered by a redirect to the sign-in page and back."""


class SeatRequest(NamedTuple):
    """An invitation that the person accepts, and how many people the host had removed as its page was shown."""

    link: str
    seen_removals: int | None


class FirstGameRequest(NamedTuple):
    """What a visitor who wants to play against bots has said before they sign in; the zone is the browser's, or empty."""

    name: str
    zone: str


def token() -> str | None:
    """Return the token of the session on the server, if the browser has one. It may have ended."""
    return session.get("token")


def viewer_from_session(tx: Tx) -> Person | None:
    """Return the signed-in person, or None; drop the token of a session that has ended."""
    return checked_viewer(person_for(tx, token()))


def checked_viewer(viewer: Person | None) -> Person | None:
    """Return the viewer that the database found for the token; drop the token if it found none."""
    if viewer is None and session.pop("token", None) is not None:
        clear_site_data()
    return viewer


def is_signed_in() -> bool:
    """Return whether the session has not ended. The cookie outlives it, so this asks the database if there is a token."""
    if token() is None:
        return False
    try:
        with current_context().read_only() as tx:
            return viewer_from_session(tx) is not None
    except Banned:
        return True


def require_viewer(tx: Tx) -> Person:
    """Return the signed-in person. Raises SignInRequired."""
    viewer = viewer_from_session(tx)
    if viewer is None:
        raise SignInRequired
    return viewer


def require_confirmed_viewer(tx: Tx) -> Person:
    """Return the signed-in person for a dangerous act. Raises SignInRequired and IdentityUnconfirmed."""
    viewer = require_viewer(tx)
    identity.require_confirmed(tx, token())
    return viewer


def this_device() -> Device:
    """Return what the request says of the browser and where it comes from."""
    return Device(
        user_agent=request.headers.get("User-Agent", ""), network_address=request.remote_addr
    )


def browser_id(tokens: Callable[[int], bytes]) -> str:
    """Return the unguessable id of this browser: a sign-in works only where it was requested."""
    if "browser" not in session:
        session["browser"] = random_token(tokens, _BROWSER_ID_BYTES)
    return str(session["browser"])


def locale_of(viewer: Person | None, *, default_language: str = DEFAULT_LANGUAGE) -> Locale:
    """Return the viewer's locale; without a viewer, that of the last sign-in here or of the browser's settings.

    The default is for browsers that accept no translated language.
    """
    now = current_context().now()
    if viewer is not None:
        return Locale(language_for(viewer.language), zone_for(viewer.zone), now)
    code = session.get("language") or best_language(request.accept_languages, default_language)
    return Locale(language_for(code), zone_for(session.get("zone")), now)


def best_language(accepted_languages: LanguageAccept, default: str = DEFAULT_LANGUAGE) -> str:
    """Return the translated language that a browser prefers; the default if it accepts none."""
    return accepted_languages.best_match(TRANSLATED_LANGUAGES, default)


def address_proofs() -> tuple[str, ...]:
    """Return what this browser keeps of addresses that have signed in here before."""
    return tuple(session.get("proofs", ()))


def start_session(signed_in: OpenedSession, address_proof: str | None) -> None:
    """Keep a new session in the browser and drop everything older, so that CSRF tokens change as well.

    ``address_proof``: None for a person who has not proved it with an email that this browser requested.
    """
    return_path, seat_request = session.get("return_path"), session.get(_SEAT_REQUEST_KEY)
    new_proofs = () if address_proof is None else (address_proof,)
    _clear_session_except_proofs((*new_proofs, *address_proofs()))
    session.permanent = True
    session["token"] = signed_in.token
    remember_locale(signed_in.person)
    remember_return_path(return_path)
    if seat_request is not None:
        session[_SEAT_REQUEST_KEY] = seat_request


def remember_address_proof(address_proof: str) -> None:
    """Keep that this address belongs to the person at this browser."""
    proofs = (address_proof, *address_proofs())
    session["proofs"] = list(dict.fromkeys(proofs))[:_MAX_ADDRESS_PROOFS]


def remember_locale(person: Person) -> None:
    """Keep language and zone for pages that are shown without asking the database for the viewer, such as errors."""
    session["language"] = person.language
    session["zone"] = person.zone


def end_session() -> None:
    """Sign this browser out, and let it forget the pages that it has shown."""
    clear_site_data()
    _clear_session_except_proofs(address_proofs())


def remember_return_path(path: str | None) -> None:
    """Keep where to continue after signing in; ignore anything but a path of this server."""
    if path is not None and is_own_path(path):
        session["return_path"] = path
        session.pop(_SEAT_REQUEST_KEY, None)


def remember_seat_request(link: str, *, seen_removals: int | None) -> None:
    """Keep that the person accepts this invitation, until they continue elsewhere.

    Only for requests that came from a button of a page of this server: signing in gives them the seat.
    """
    remember_return_path(urls.invitation(link))
    session[_SEAT_REQUEST_KEY] = {"link": link, "removals": seen_removals}


def seat_request() -> SeatRequest | None:
    """Return which invitation the person accepts, if any."""
    kept = session.get(_SEAT_REQUEST_KEY)
    return None if kept is None else SeatRequest(str(kept["link"]), kept["removals"])


def remember_first_game_request(name: str, zone: str) -> None:
    """Keep the name of a visitor who wants to play against bots, and where they live if the browser says so; forget an earlier one."""
    session.pop(_FIRST_GAME_KEY, None)
    if name and session.get("return_path") == urls.bot_game():
        session[_FIRST_GAME_KEY] = {"name": name, "zone": zone}


def first_game_request() -> FirstGameRequest | None:
    """Return how the visitor wants to play against bots, if they have said so and still want to."""
    kept = session.get(_FIRST_GAME_KEY)
    if kept is None or session.get("return_path") != urls.bot_game():
        return None
    return FirstGameRequest(str(kept["name"]), str(kept["zone"]))


def redirect_to_introduction(viewer: Person | None, return_path: str) -> ResponseReturnValue:
    """Redirect to signing in, or to choosing a name, and then back."""
    remember_return_path(return_path)
    return redirect(urls.sign_in() if viewer is None else urls.profile(), 303)


def take_return_path(default: str) -> str:
    """Return where to continue after signing in, and forget it."""
    session.pop(_SEAT_REQUEST_KEY, None)
    return str(session.pop("return_path", default))


def remember_path_after_passkey(path: str) -> None:
    """Keep where to continue once a passkey is added; confirming who one is comes before that, and has its own path."""
    if is_own_path(path):
        session["path_after_passkey"] = path


def take_path_after_passkey(default: str) -> str:
    """Return where to continue once a passkey is added, and forget it."""
    return str(session.pop("path_after_passkey", default))


def remember_dismissed_announcement(number: int) -> None:
    """Keep which announcement was dismissed here, for pages that are shown without asking the database for the viewer."""
    session["dismissed_announcement"] = number


def dismissed_announcement() -> int:
    """Return the newest announcement that was dismissed in this browser, or 0."""
    return int(session.get("dismissed_announcement", 0))


def is_own_path(text: str) -> bool:
    """Return whether a link to this text can only lead to a page of this server."""
    is_own_path = text.startswith("/") and not text.startswith(("//", "/\\"))
    return is_own_path and len(text) <= _MAX_RETURN_PATH_LENGTH and text.isprintable()


def _clear_session_except_proofs(kept_proofs: Iterable[str]) -> None:
    session.clear()
    session["proofs"] = list(dict.fromkeys(kept_proofs))[:_MAX_ADDRESS_PROOFS]


def record_used_sessions(app: Flask) -> None:
    """Record the first request of each minute that comes with the cookie of a session."""

    def record(response: Response) -> Response:
        # Without the cookie nothing is looked up, so that answers to strangers and style sheets do not vary by cookie.
        if (
            app.config["SESSION_COOKIE_NAME"] in request.cookies
            and request.endpoint not in _REQUESTED_WITHOUT_VIEWERS
        ):
            _record_once_a_minute()
        return response

    app.after_request(record)


def _record_once_a_minute() -> None:
    context, session_token = current_context(), token()
    if session_token is None or context.used_sessions.is_noted(session_token, context.now()):
        return
    try:
        with context.transaction() as tx:
            record_session_use(tx, session_token)
    except Unavailable:
        # The next request tries again.
        return
    context.used_sessions.note(session_token, tx.now)


def cookie_name(name: str, base_url: str) -> str:
    """Return the name of a cookie of the server at this address, with its port if it is not the usual one.

    Browsers send a cookie to all ports of a host (RFC 6265, 8.5): under one name a server would overwrite that of another.
    """
    port = urlsplit(base_url).port
    return name if port is None else f"{name}-{port}"
