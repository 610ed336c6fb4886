"""Leaks planted on purpose, one for each way in which a secret could leave the site: the crawl must find each of them.

Leaks of one reader are planted together. Each has evidence of its own, so that it counts as found only if its own
secret is in its own output.
"""

import logging
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from flask import Response, request
from markupsafe import Markup

from tests.leaks.crawl import ALL_EMAILS
from tests.leaks.observed_site import ObservedSite, PlantLeak, Reader
from tests.leaks.output_differences import FAULTS_OUTPUT
from tests.leaks.seed_data import SALTS
from tests.support.cast import MO
from tests.support.compiled_templates import own_globals_of_templates
from tests.support.factories import stored_game
from webapp.mail.compose import Composer
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import MessageParts
from webapp.mail.transport import RenderedEmail
from webapp.play.access import LoadedGame

_log = logging.getLogger("a.leak")
LEAKED_SEAT = 2
"""The seat whose hand is leaked; the usual reader is seat 0, who sends every kind of request."""
_SEAT_OF_WORKER_LOG = 3
"""The seat whose address the worker logs: another one than the pages log."""

Secret = Callable[[ObservedSite], str]


class PlantedLeak(NamedTuple):
    """A leak and how the crawl finds it."""

    name: str
    endpoint: str
    """The endpoint to crawl, or "refusals" for every response with an error status."""
    output: str
    """The start of the name of the output that leaks."""
    plant_leak: PlantLeak
    line: str = ""
    """The text in the lines of that output that must differ between the two sites."""
    known_secret: str = ""
    """The name of the secret that must be found instead of such a line: it is the same in both sites."""
    reader: Reader = 0

    def is_among(self, findings: dict[str, str]) -> bool:
        """Return whether the findings, by the name of the output, show this leak."""
        return any(
            self.known_secret in finding if self.known_secret else _differ(self.line, finding)
            for output, finding in findings.items()
            if output.startswith(self.output)
        )


def _differ(marker: str, diff: str) -> bool:
    """Return whether the marked lines differ: a diff may also show lines that are the same."""
    marked_lines = [line for line in diff.splitlines() if marker in line]
    removed_lines = [line[1:] for line in marked_lines if line.startswith("-")]
    return removed_lines != [line[1:] for line in marked_lines if line.startswith("+")]


def plant_together(planted_leaks: Iterable[PlantedLeak]) -> PlantLeak:
    """Plant several leaks in one site."""
    leaks = tuple(planted_leaks)

    def plant_leak(site: ObservedSite) -> None:
        for planted_leak in leaks:
            planted_leak.plant_leak(site)

    return plant_leak


def crawled_endpoints(planted_leaks: Iterable[PlantedLeak]) -> frozenset[str]:
    """Return the endpoints at which a crawl finds these leaks."""
    endpoints = {planted_leak.endpoint for planted_leak in planted_leaks}
    return frozenset(
        "lobby.take_seat" if endpoint == "refusals" else endpoint for endpoint in endpoints
    )


def _hand_text(site: ObservedSite) -> str:
    """Return the cards of the leaked seat as one text."""
    return "+".join(site.state.hands[LEAKED_SEAT])


def _roles_text(site: ObservedSite) -> str:
    return repr(site.state.roles)


def _secret_bit(site: ObservedSite) -> int:
    """Return a single bit of information about the hand."""
    return zlib.crc32(_hand_text(site).encode()) & 1


def _address_of_leaked_seat(site: ObservedSite) -> str:
    return site.seed_data.seated_guests[LEAKED_SEAT].person.address


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


def _append_line(name: str, secret: Secret) -> Callable[[ObservedSite, Response], None]:
    def change_response(site: ObservedSite, response: Response) -> None:
        response.direct_passthrough = False
        line = f"\n<!-- {name}: {secret(site)} -->\n"
        response.set_data(response.get_data() + line.encode())

    return change_response


def _leak_in_body(
    name: str, endpoint: str, output: str, secret: Secret, *, known_secret: str = ""
) -> PlantedLeak:
    """Leak in a line of its own at the end of a body."""
    plant_leak = _change_responses(endpoint, _append_line(name, secret))
    return PlantedLeak(name, endpoint, output, plant_leak, f"<!-- {name}: ", known_secret)


def _leak_in_response(
    name: str,
    endpoint: str,
    output: str,
    change_response: Callable[[ObservedSite, Response], object],
    line: str = "",
    *,
    known_secret: str = "",
) -> PlantedLeak:
    plant_leak = _change_responses(endpoint, change_response)
    return PlantedLeak(name, endpoint, output, plant_leak, line, known_secret)


def _leak_in_header(site: ObservedSite, response: Response) -> None:
    response.headers["X-Hand"] = _hand_text(site)


def _leak_in_cookie(site: ObservedSite, response: Response) -> None:
    response.set_cookie("hand", _hand_text(site))


def _leak_in_location_header(site: ObservedSite, response: Response) -> None:
    response.headers["Location"] = f"/#{_hand_text(site)}"


def _leak_in_status(site: ObservedSite, response: Response) -> None:
    response.status_code = (406, 410)[_secret_bit(site)]


def _leak_in_content_length(site: ObservedSite, response: Response) -> None:
    if request.method == "HEAD":
        response.headers["Content-Length"] = str(777_000_000 + _secret_bit(site))


def _leak_in_line_order(site: ObservedSite, response: Response) -> None:
    lines = response.get_data(as_text=True).splitlines()
    lines.sort(reverse=bool(_secret_bit(site)))
    response.set_data("\n".join(lines))


def _leak_hand_in_log(site: ObservedSite, _response: Response) -> None:
    _log.debug("A page was shown: %s.", _hand_text(site))


def _leak_address_in_log(site: ObservedSite, _response: Response) -> None:
    # As the user of a URL it is not masked.
    _log.debug("A page was shown to a friend of mailto://%s.", _address_of_leaked_seat(site))


def _leak_in_statement_count(site: ObservedSite, _response: Response) -> None:
    for _ in range(_secret_bit(site)):
        _running_game(site)


def _leak_in_nudge(site: ObservedSite, _response: Response) -> None:
    site.sent_nudges.append(f"emails {_hand_text(site)}")


def _leak_in_description(name: str, picture: str) -> PlantedLeak:
    """Leak a hand in the description of a picture."""

    def plant_leak(site: ObservedSite) -> None:
        template_globals = own_globals_of_templates(site.app)
        draw_function: Callable[..., Markup] = template_globals[picture]

        def leak(*args: Any, **options: Any) -> Markup:
            description = Markup("\n<desc>{}: {}</desc>\n").format(name, _hand_text(site))
            return draw_function(*args, **options) + description

        leak.__dict__.update(vars(draw_function))
        template_globals[picture] = leak

    return PlantedLeak(name, "table.show_game", "GET /games/", plant_leak, f"<desc>{name}: ")


class _ChangingComposer(Composer):
    """Changes the emails of another composer."""

    def __init__(
        self, composer: Composer, change_message: Callable[[MessageParts], MessageParts]
    ) -> None:
        self._composer = composer
        self._change_message = change_message

    def compose(self, context: EmailContext, *, now: datetime) -> MessageParts:
        return self._change_message(self._composer.compose(context, now=now))


def _leak_in_emails(
    name: str, change_message: Callable[[MessageParts, str], MessageParts], line: str
) -> PlantedLeak:
    """Insert a line with a hand into a part of every email."""

    def plant_leak(site: ObservedSite) -> None:
        composer = _ChangingComposer(
            site.context.composer, lambda parts: change_message(parts, line + _hand_text(site))
        )
        site.context = replace(site.context, composer=composer)

    return PlantedLeak(name, ALL_EMAILS, "email", plant_leak, line)


def _with_line_in_text(parts: MessageParts, line: str) -> MessageParts:
    return msgspec.structs.replace(parts, text=f"{parts.text}{line}\n")


def _with_line_in_html(parts: MessageParts, line: str) -> MessageParts:
    return msgspec.structs.replace(parts, html=parts.html.replace("</body>", f"{line}\n</body>"))


def _with_header(parts: MessageParts, line: str) -> MessageParts:
    name, _, value = line.partition(": ")
    return msgspec.structs.replace(parts, fields=(*parts.fields, (name, value)))


def _leak_recipient_in_log(site: ObservedSite) -> None:
    address = site.seed_data.seated_guests[_SEAT_OF_WORKER_LOG].person.address

    def log_recipient(email: RenderedEmail) -> None:
        # In the counterfactual the address begins differently.
        if email.recipient.endswith(address):
            # As the user of a URL it is not masked.
            _log.debug("Handing over to mailto://%s.", email.recipient)

    site.recording_transport.before_sending = log_recipient


def _fault_with_hand_in_message(site: ObservedSite) -> None:
    """Raise an exception with a hand in its message."""

    @site.app.before_request
    def fail() -> None:
        if request.endpoint == "about.show_about":
            raise RuntimeError(f"the hand {_hand_text(site)}")


def _fault_with_hand_in_variable(site: ObservedSite) -> None:
    @site.app.before_request
    def fail() -> None:
        if request.endpoint == "rules.show_how_to_play":
            cards = _hand_text(site)
            raise RuntimeError("x" * len(cards[:0]))


def _running_game(site: ObservedSite) -> LoadedGame:
    seed_data = site.seed_data
    return stored_game(site.database, seed_data.running_slug, seed_data.seated_guests[0])


def _salt_of_leaked_seat(_: ObservedSite) -> str:
    return SALTS[LEAKED_SEAT]


def _secret_of_game(site: ObservedSite) -> str:
    secret = _running_game(site).row.secret
    assert secret is not None
    return secret.round_3.hex()


def _nonce_of_turn(site: ObservedSite) -> str:
    return _running_game(site).turn_chain().nonce(0).hex()


_USUAL_LEAKS = (
    # The first, because Flask calls such functions in reverse order, and others change the length. No page has this one.
    _leak_in_response(
        "a length", "table.show_game", "HEAD /games/", _leak_in_content_length, "Length: 77700"
    ),
    _leak_in_body("a page", "table.show_game", "GET /games/", _hand_text),
    _leak_in_body("roles in a page", "table.show_game", "GET /games/", _roles_text),
    _leak_in_body(
        "goals in a page", "table.show_game", "GET /games/", lambda site: repr(site.state.goals)
    ),
    _leak_in_body(
        "the deck", "table.show_game", "GET /games/", lambda site: "".join(site.state.deck)
    ),
    _leak_in_body("gold", "table.show_game", "GET /games/", lambda site: repr(site.state.gold)),
    _leak_in_body(
        "salt before the freeze",
        "table.show_game",
        "GET /games/",
        _salt_of_leaked_seat,
        known_secret=f"the salt of seat {LEAKED_SEAT} before the freeze",
    ),
    _leak_in_body(
        "an address",
        "home.show_home",
        "GET /",
        lambda _: MO.address,
        known_secret="an address that requested a sign-in",
    ),
    _leak_in_body(
        "the id of an account",
        "home.show_home",
        "GET /",
        lambda site: str(site.seed_data.seated_guests[LEAKED_SEAT].person.id),
        known_secret="the id of Carol",
    ),
    _leak_in_body(
        "a session",
        "home.show_home",
        "GET /",
        lambda site: site.seed_data.seated_guests[LEAKED_SEAT].cookie,
        known_secret="the session of Carol",
    ),
    _leak_in_body("the secret of a deal", "fairness.show_fairness", "GET /games/", _secret_of_game),
    _leak_in_body("the nonce of a turn", "fairness.show_fairness", "GET /games/", _nonce_of_turn),
    _leak_in_body("an export", "fairness.download_record", "GET /games/", _hand_text),
    _leak_in_body("history", "history.show_history", "GET /games/", _hand_text),
    _leak_in_body("a file", "static", "GET /static/", _hand_text),
    _leak_in_body("health", "health.show_health", "GET /healthz", _hand_text),
    _leak_in_body("a figure", "health.show_metrics", "GET /metrics", _hand_text),
    _leak_in_body("a refused turn", "table.submit_turn", "POST /games/", _hand_text),
    _leak_in_body("an error page", "refusals", "POST /games/", _hand_text),
    _leak_in_response("a header", "table.show_game", "GET /games/", _leak_in_header, "X-Hand: "),
    _leak_in_response("a cookie", "home.show_home", "GET /", _leak_in_cookie, "Set-Cookie: hand="),
    _leak_in_response(
        "a redirect", "home.open_next_game", "GET /next", _leak_in_location_header, "Location: /#"
    ),
    _leak_in_response("a status", "refusals", "POST /games/", _leak_in_status, "410 GONE"),
    _leak_in_response(
        "an order of lines", "rules.show_comparison", "GET /rules", _leak_in_line_order, "<th"
    ),
    _leak_in_response(
        "a database query",
        "table.show_game",
        "GET /games/",
        _leak_in_statement_count,
        "(statements: ",
    ),
    _leak_in_response(
        "a log line", "home.show_home", "log", _leak_hand_in_log, "A page was shown: "
    ),
    _leak_in_response(
        "an address in a log line",
        "home.show_home",
        "log",
        _leak_address_in_log,
        known_secret="the address of Carol",
    ),
    _leak_in_response("a nudge", "home.show_home", "nudges", _leak_in_nudge, "emails "),
    _leak_in_description("a picture", "mine_picture"),
    _leak_in_description("the picture of a card", "card_picture"),
    _leak_in_emails("the text of an email", _with_line_in_text, "a hand in the text: "),
    _leak_in_emails("the HTML of an email", _with_line_in_html, "a hand in the HTML: "),
    _leak_in_emails("a header of an email", _with_header, "X-Hand: "),
    PlantedLeak(
        "a log line of the worker",
        ALL_EMAILS,
        "log",
        _leak_recipient_in_log,
        "Handing over to mailto:",
    ),
    PlantedLeak(
        "the message of a fault",
        "about.show_about",
        "log",
        _fault_with_hand_in_message,
        "RuntimeError: the hand ",
    ),
    PlantedLeak(
        "the variables of a fault",
        "rules.show_how_to_play",
        FAULTS_OUTPUT,
        _fault_with_hand_in_variable,
        "cards = ",
    ),
)
_DASHBOARD_ENDPOINT = "moderation.show_dashboard"
_GAME_PAGE_ENDPOINT = "moderated_game.show_moderated_game"
_SITE_MODERATOR_LEAKS = (
    _leak_in_body(
        "a hand in the moderators' list", _DASHBOARD_ENDPOINT, "GET /moderation", _hand_text
    ),
    _leak_in_body(
        "roles in the moderators' list", _DASHBOARD_ENDPOINT, "GET /moderation", _roles_text
    ),
    _leak_in_body(
        "a hand in the moderators' page", _GAME_PAGE_ENDPOINT, "GET /moderation/games/", _hand_text
    ),
    _leak_in_body("roles in a preview", "acts.show_act", "GET /moderation/games/", _roles_text),
)
_CLUB_MODERATOR_LEAKS = (
    _leak_in_body(
        "a hand in the club's list", _DASHBOARD_ENDPOINT, "GET /moderation?club=", _hand_text
    ),
    _leak_in_body(
        "an address in the club's list",
        _DASHBOARD_ENDPOINT,
        "GET /moderation?",
        _address_of_leaked_seat,
        known_secret="the address of Carol",
    ),
)
PLANTED_LEAKS = (
    *_USUAL_LEAKS,
    *(leak._replace(reader="moderator") for leak in _SITE_MODERATOR_LEAKS),
    *(leak._replace(reader="club moderator") for leak in _CLUB_MODERATOR_LEAKS),
)
