"""Leaks planted on purpose, one for each way in which a secret could leave the site: the crawl must find each of them."""

import logging
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from flask import Response, request
from markupsafe import Markup

from tests.leaks.crawl import ALL_EMAILS
from tests.leaks.observed_site import ObservedSite, PlantLeak, Reader
from tests.leaks.output_differences import FAULTS_OUTPUT
from tests.support.cast import MO
from tests.support.factories import stored_game
from webapp.mail.compose import Composer
from webapp.mail.transport import RenderedEmail
from webapp.services.notifications.email_context import EmailContext

_log = logging.getLogger("a.leak")
LEAKED_SEAT = 2
"""The seat whose hand is leaked; the usual reader is seat 1."""


class PlantedLeak(NamedTuple):
    """A leak: its name, the endpoint to crawl, the start of the name of the output that leaks, how it is planted, its reader."""

    name: str
    endpoint: str
    output: str
    plant_leak: PlantLeak
    reader: Reader = 1


def hand_text(site: ObservedSite) -> str:
    """Return the cards of the leaked seat as one text."""
    return "+".join(site.state.hands[LEAKED_SEAT])


def _secret_bit(site: ObservedSite) -> int:
    """Return a single bit of information about the hand."""
    return zlib.crc32(hand_text(site).encode()) & 1


def _change_responses(
    endpoint: str, change_response: Callable[[ObservedSite, Response], object]
) -> PlantLeak:
    """Change every response of an endpoint, or with "refusals" every response with an error status."""

    def plant_leak(site: ObservedSite) -> None:
        def leak(response: Response) -> Response:
            is_refusal = endpoint == "refusals" and response.status_code >= 400
            if is_refusal or request.endpoint == endpoint:
                change_response(site, response)
            return response

        site.app.after_request(leak)

    return plant_leak


def _append_to_page(
    secret: Callable[[ObservedSite], str],
) -> Callable[[ObservedSite, Response], None]:
    def change_response(site: ObservedSite, response: Response) -> None:
        response.direct_passthrough = False
        response.set_data(response.get_data() + f"<!-- {secret(site)} -->".encode())

    return change_response


def _leak_in_header(site: ObservedSite, response: Response) -> None:
    response.headers["X-Hand"] = hand_text(site)


def _leak_in_cookie(site: ObservedSite, response: Response) -> None:
    response.set_cookie("hand", hand_text(site))


def _leak_in_location_header(site: ObservedSite, response: Response) -> None:
    response.headers["Location"] = f"/#{hand_text(site)}"


def _leak_in_status(site: ObservedSite, response: Response) -> None:
    response.status_code = (404, 410)[_secret_bit(site)]


def _leak_in_content_length(site: ObservedSite, response: Response) -> None:
    if request.method == "HEAD":
        response.headers["Content-Length"] = str(1000 + _secret_bit(site))


def _leak_in_line_order(site: ObservedSite, response: Response) -> None:
    lines = response.get_data(as_text=True).splitlines()
    lines.sort(reverse=bool(_secret_bit(site)))
    response.set_data("\n".join(lines))


def _leak_hand_in_log(site: ObservedSite, _response: Response) -> None:
    _log.debug("A page was shown: %s.", hand_text(site))


def _leak_address_in_log(site: ObservedSite, _response: Response) -> None:
    _log.debug(
        # As the user of a URL it is not masked.
        "A page was shown to a friend of mailto://%s.",
        site.seed_data.seated_guests[LEAKED_SEAT].person.address,
    )


def _leak_in_statement_count(site: ObservedSite, _response: Response) -> None:
    for _ in range(_secret_bit(site)):
        stored_game(site.database, site.seed_data.running_slug, site.seed_data.seated_guests[0])


def _leak_in_nudge(site: ObservedSite, _response: Response) -> None:
    site.sent_nudges.append(f"emails {hand_text(site)}")


def _leak_in_description(name: str) -> PlantLeak:
    """Leak a hand in the description of a picture."""

    def plant_leak(site: ObservedSite) -> None:
        draw_function: Callable[..., Markup] = site.app.jinja_env.globals[name]  # type: ignore[assignment]

        def leak(*args: Any, **options: Any) -> Markup:
            return draw_function(*args, **options) + Markup("<desc>{}</desc>").format(
                hand_text(site)
            )

        leak.__dict__.update(vars(draw_function))
        site.app.jinja_env.globals[name] = leak

    return plant_leak


class _ChangingComposer(Composer):
    """Changes the emails of another composer."""

    def __init__(self, composer: Composer, change_response: Callable[[bytes], bytes]) -> None:
        self._composer = composer
        self._change_email = change_response

    def compose(self, context: EmailContext, *, now: datetime) -> bytes:
        return self._change_email(self._composer.compose(context, now=now))


def _leak_in_emails(marker: bytes, secret: Callable[[ObservedSite], str]) -> PlantLeak:
    """Insert a secret into every email, before the first occurrence of some bytes."""

    def plant_leak(site: ObservedSite) -> None:
        def change_message(message: bytes) -> bytes:
            return message.replace(marker, secret(site).encode() + marker, 1)

        site.context = replace(
            site.context, composer=_ChangingComposer(site.context.composer, change_message)
        )

    return plant_leak


def _leak_recipient_in_log(site: ObservedSite) -> None:
    def log_recipient(email: RenderedEmail) -> None:
        # As the user of a URL it is not masked.
        _log.debug("Handing over to mailto://%s.", email.recipient)

    site.recording_transport.before_sending = log_recipient


def _fault_with_hand_in_message(site: ObservedSite) -> None:
    """Raise an exception with a hand in its message."""

    @site.app.before_request
    def fail() -> None:
        if request.endpoint == "about.show_about":
            raise RuntimeError(hand_text(site))


def _fault_with_hand_in_variable(site: ObservedSite) -> None:
    @site.app.before_request
    def fail() -> None:
        if request.endpoint == "about.show_about":
            cards = hand_text(site)
            raise RuntimeError("x" * len(cards[:0]))


def leak_in_body(
    endpoint: str, name: str, output: str, secret: Callable[[ObservedSite], str]
) -> PlantedLeak:
    return PlantedLeak(name, endpoint, output, _change_responses(endpoint, _append_to_page(secret)))


def _leak_in_response(
    endpoint: str,
    name: str,
    output: str,
    change_response: Callable[[ObservedSite, Response], object],
) -> PlantedLeak:
    return PlantedLeak(name, endpoint, output, _change_responses(endpoint, change_response))


PLANTED_LEAKS = (
    leak_in_body("table.show_game", "a page", "GET /games/", hand_text),
    leak_in_body(
        "table.show_game",
        "roles in a page",
        "GET /games/",
        lambda site: repr(site.state.roles),
    ),
    leak_in_body(
        "table.show_game",
        "goals in a page",
        "GET /games/",
        lambda site: repr(site.state.goals),
    ),
    leak_in_body(
        "table.show_game", "the deck", "GET /games/", lambda site: "".join(site.state.deck)
    ),
    leak_in_body("table.show_game", "gold", "GET /games/", lambda site: repr(site.state.gold)),
    leak_in_body("home.show_home", "an address", "GET /", lambda _: MO.address),
    leak_in_body(
        "home.show_home",
        "the id of an account",
        "GET /",
        lambda site: str(site.seed_data.seated_guests[LEAKED_SEAT].person.id),
    ),
    leak_in_body(
        "home.show_home",
        "a session",
        "GET /",
        lambda site: site.seed_data.seated_guests[LEAKED_SEAT].cookie,
    ),
    leak_in_body("fairness.download_record", "an export", "GET /games/", hand_text),
    leak_in_body("history.show_history", "history", "GET /games/", hand_text),
    leak_in_body("static", "a file", "GET /static/", hand_text),
    leak_in_body("health.show_health", "health", "GET /healthz", hand_text),
    leak_in_body("health.show_metrics", "a figure", "GET /metrics", hand_text),
    leak_in_body("table.submit_turn", "a refused turn", "POST /games/", hand_text),
    _leak_in_response("refusals", "an error page", "POST /games/", _append_to_page(hand_text)),
    _leak_in_response("table.show_game", "a header", "GET /games/", _leak_in_header),
    _leak_in_response("home.show_home", "a cookie", "GET /", _leak_in_cookie),
    _leak_in_response("home.open_next_game", "a redirect", "GET /next", _leak_in_location_header),
    _leak_in_response("refusals", "a status", "POST /games/", _leak_in_status),
    _leak_in_response("table.show_game", "a length", "HEAD /games/", _leak_in_content_length),
    _leak_in_response(
        "rules.show_comparison", "an order of lines", "GET /rules", _leak_in_line_order
    ),
    _leak_in_response(
        "table.show_game", "a database query", "GET /games/", _leak_in_statement_count
    ),
    _leak_in_response("home.show_home", "a log line", "log", _leak_hand_in_log),
    _leak_in_response("home.show_home", "an address in a log line", "log", _leak_address_in_log),
    _leak_in_response("home.show_home", "a nudge", "nudges", _leak_in_nudge),
    PlantedLeak(
        "a picture", "table.show_game", "GET /games/", _leak_in_description("mine_picture")
    ),
    PlantedLeak(
        "the picture of a card",
        "table.show_game",
        "GET /games/",
        _leak_in_description("card_picture"),
    ),
    PlantedLeak(
        "the text of an email", ALL_EMAILS, "email", _leak_in_emails(b"Lodepost", hand_text)
    ),
    PlantedLeak(
        "the HTML of an email", ALL_EMAILS, "email", _leak_in_emails(b"</body>", hand_text)
    ),
    PlantedLeak(
        "a header of an email",
        ALL_EMAILS,
        "email",
        _leak_in_emails(b"MIME-Version:", lambda site: f"X-Hand: {hand_text(site)}\r\n"),
    ),
    PlantedLeak("a log line of the worker", ALL_EMAILS, "log", _leak_recipient_in_log),
    PlantedLeak("the message of a fault", "about.show_about", "log", _fault_with_hand_in_message),
    PlantedLeak(
        "the variables of a fault", "about.show_about", FAULTS_OUTPUT, _fault_with_hand_in_variable
    ),
)
