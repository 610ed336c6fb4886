"""A crawl of the whole site by one reader: every response, email, log line and nudge, by the name of the output."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any, TypeVar

from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from tasks import bot_turns, deadlines, housekeeping
from tests.leaks.all_emails import emails_to_reader
from tests.leaks.observed_site import ObservedSite
from tests.leaks.output_differences import FAULTS_OUTPUT, without_new_parts
from tests.leaks.routes import FORMS_BY_ENDPOINT, PATHS_BY_ENDPOINT, SESSION_ENDING_ENDPOINTS
from tests.support.compiled_templates import own_globals_of_templates
from tests.support.fakes import FakeClock
from tests.support.html import Page
from tests.support.sizes import is_full_run
from tests.support.visitors import Visitor
from webapp.kernel import urls

_T = TypeVar("_T")
METHODS = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "BREW")
"""All but POST, which needs a form."""
ALL_EMAILS = "emails"
"""Stands among the endpoints of a crawl for the emails that are sent meanwhile."""
READER_OF_EVERYTHING = 0
"""The reader whose crawl sends every kind of request, and must get every kind of response and cause every kind of email."""
_REFUSED_STATUSES = ("303", "404")
_LOCAL_HOST = {"Host": "127.0.0.1:8000"}
_UNREAD_BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("no token", {"data": {"x": "y"}}),
    ("large", {"data": {"x": "x" * 70_000}}),
    ("json", {"data": b"{}", "content_type": "application/json"}),
)
"""Bodies that are refused before a route sees them: without a token, too large, or of another content type."""


def crawl(
    observed_site: ObservedSite, *, only_endpoints: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return everything that the reader is sent and everything that is logged meanwhile.

    With ``only_endpoints``, just these, and emails if ALL_EMAILS is among them: for tests of the crawl itself.
    """
    outputs = dict(_responses(observed_site, only_endpoints))
    outputs |= (
        dict(emails_to_reader(observed_site))
        if not only_endpoints or ALL_EMAILS in only_endpoints
        else {}
    )
    outputs |= dict(_fault_outputs(observed_site)) if not only_endpoints else {}
    outputs["log"] = without_new_parts(observed_site.log.getvalue())
    outputs[FAULTS_OUTPUT] = without_new_parts("\n".join(observed_site.faults.tracebacks))
    outputs["nudges"] = " ".join(sorted(observed_site.sent_nudges))
    return outputs


def _responses(
    observed_site: ObservedSite, only_endpoints: frozenset[str]
) -> Iterator[tuple[str, str]]:
    visitor = observed_site.visitor()
    token = visitor.token()
    rules = [
        rule
        for rule in observed_site.app.url_map.iter_rules()
        if not only_endpoints or rule.endpoint in only_endpoints
    ]
    paths = {rule.endpoint: list(PATHS_BY_ENDPOINT[rule.endpoint](observed_site)) for rule in rules}
    for path in sorted({path for endpoint_paths in paths.values() for path in endpoint_paths}):
        yield _request(observed_site, visitor, path, method="GET")
    first_paths = sorted({endpoint_paths[0] for endpoint_paths in paths.values()})
    for number, path in enumerate(first_paths):
        for method in _further_methods(observed_site, number):
            yield _request(observed_site, visitor, path, method=method)
    for path in _linked_choices(observed_site, visitor) if not only_endpoints else ():
        yield _request(observed_site, visitor, path, method="GET")
    yield _request(observed_site, visitor, urls.metrics(), method="GET", headers=_LOCAL_HOST)
    form_rules = [rule for rule in rules if rule.endpoint in FORMS_BY_ENDPOINT]
    for number, rule in enumerate(sorted(form_rules, key=_crawl_order)):
        path = next(iter(PATHS_BY_ENDPOINT[rule.endpoint](observed_site)))
        for note, body in (
            _turn_of(number, _UNREAD_BODIES) if _sends_all_forms(observed_site) else ()
        ):
            yield _request(observed_site, visitor, path, note=note, **body)
        yield from _post_responses(observed_site, visitor, rule, token)


def _further_methods(observed_site: ObservedSite, number: int) -> tuple[str, ...]:
    """Return the methods besides GET and POST of the path with this number.

    HEAD is answered like GET, without the body, and routes do not see the others: in the usual run the first reader tries
    HEAD and one of the others at each path, further readers none.
    """
    return ("HEAD", *_turn_of(number, METHODS[2:])) if _sends_all_forms(observed_site) else ()


def _turn_of(number: int, requests: tuple[_T, ...]) -> tuple[_T, ...]:
    """Return one of these requests, the next for the next number; in the full run all of them."""
    return requests if is_full_run() else (requests[number % len(requests)],)


def _sends_all_forms(observed_site: ObservedSite) -> bool:
    """Return whether this reader also sends requests that are answered before their sender and game are read."""
    return is_full_run() or observed_site.reader == READER_OF_EVERYTHING


def _crawl_order(rule: Rule) -> tuple[int, str]:
    return (
        SESSION_ENDING_ENDPOINTS.index(rule.endpoint) + 1
        if rule.endpoint in SESSION_ENDING_ENDPOINTS
        else 0,
        rule.endpoint,
    )


def _linked_choices(observed_site: ObservedSite, visitor: Visitor) -> list[str]:
    """Return the paths behind the links of the table page, and behind the links there: cards, cells and players."""
    game_url = urls.game(observed_site.seed_data.running_slug)
    cards = _links(visitor, game_url, game_url + "?")
    return sorted(
        {path for card in cards for path in (card, *_links(visitor, card, game_url + "?"))}
    )


def _links(visitor: Visitor, path: str, prefix: str) -> list[str]:
    links = Page(visitor.get(path).text).links
    paths = (link.href.partition("#")[0] for link in links)
    return [path for path in paths if path.startswith(prefix)]


def _post_responses(
    observed_site: ObservedSite, visitor: Visitor, rule: Rule, token: str
) -> Iterator[tuple[str, str]]:
    """Post the endpoint's forms to all its paths."""
    for path in PATHS_BY_ENDPOINT[rule.endpoint](observed_site):
        forms = [
            {"csrf_token": token, **fields}
            for fields in FORMS_BY_ENDPOINT[rule.endpoint](observed_site)
        ]
        for number, fields in enumerate(forms):
            note = f"{rule.endpoint} {number}"
            name, response = _request(observed_site, visitor, path, note=note, data=fields)
            yield name, response
            # Who may not post here is refused before the form is read: a second one shows that, hundreds show no more.
            if not is_full_run() and response.startswith(_REFUSED_STATUSES) and number:
                break


def _request(
    observed_site: ObservedSite,
    visitor: Visitor,
    path: str,
    *,
    method: str = "POST",
    note: str = "",
    **options: Any,
) -> tuple[str, str]:
    """Return the name of this request and its response, with the number of executed statements."""
    observed_site.statements.clear()
    response = visitor.client.open(path, method=method, **options)
    text = (
        f"{response_text(observed_site, response)}\n(statements: {len(observed_site.statements)})"
    )
    response.close()
    return f"{method} {path} {note}".strip(), without_new_parts(text)


def response_text(observed_site: ObservedSite, response: TestResponse) -> str:
    """Return status, headers and body of a response; for a signed cookie, its content."""
    headers = [
        (name, _cookie_text(observed_site, value) if name == "Set-Cookie" else value)
        for name, value in response.headers
        if not (name == "Content-Length" and response.request.path == urls.metrics())
    ]
    lines = "\n".join(f"{name}: {value}" for name, value in headers)
    return f"{response.status}\n{lines}\n\n{_body_text(response)}"


def _body_text(response: TestResponse) -> str:
    """Return the text of a response; for a ZIP, the text of all files in it."""
    if response.mimetype != "application/zip":
        return response.text
    with zipfile.ZipFile(io.BytesIO(response.data)) as archive:
        return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())


def _cookie_text(observed_site: ObservedSite, cookie: str) -> str:
    """Return a cookie with its signed content decoded: its signature and form token are new every time."""
    name = observed_site.app.config["SESSION_COOKIE_NAME"]
    morsel = SimpleCookie(cookie).get(name)
    interface = observed_site.app.session_interface
    serializer = interface.get_signing_serializer(observed_site.app)  # type: ignore[attr-defined]
    if morsel is None or not morsel.value:
        return re.sub("Expires=[^;]+", "", cookie)
    content = serializer.loads(morsel.value) | {"csrf_token": "NEW"}
    attributes = re.sub("Expires=[^;]+", "", cookie.replace(morsel.value, ""))
    return f"{attributes} {json.dumps(content, sort_keys=True)}"


def _fault_outputs(observed_site: ObservedSite) -> Iterator[tuple[str, str]]:
    """Request too often, and make the database reject every turn with an error that quotes the row."""
    visitor = observed_site.visitor()
    fields = {"csrf_token": visitor.token(), "address": "often@example.test"}
    for number in range(11):
        yield _request(observed_site, visitor, urls.sign_in(), note=f"again {number}", data=fields)
    observed_site.execute("ALTER TABLE turn ADD CONSTRAINT no_more CHECK (seq < 0) NOT VALID")
    # The submitted turns contain only what the reader may know: their own hand and legal actions.
    forms = Page(visitor.get(urls.game(observed_site.seed_data.running_slug)).text).forms
    for number, form in enumerate(forms):
        yield _request(
            observed_site, visitor, form.action, note=f"fault {number}", data=form.fields
        )
    yield from _run_jobs(observed_site)
    own_globals_of_templates(observed_site.app)["mine_picture"] = _fail_to_draw
    path = urls.game(observed_site.seed_data.running_slug)
    yield _request(observed_site, visitor, path, method="GET", note="cannot be drawn")


def _fail_to_draw(*_: object, **__: object) -> str:
    message = "No pictures today."
    raise RuntimeError(message)


def _run_jobs(observed_site: ObservedSite) -> Iterator[tuple[str, str]]:
    """Run clock, bots and housekeeping while no turn can be stored."""
    clock = FakeClock()
    clock.move(timedelta(days=30))
    late_context = replace(observed_site.context, now=clock, pause=clock.pause)
    for job in (
        deadlines.sweep_deadlines,
        bot_turns.play_bots,
        housekeeping.report_delays,
        housekeeping.report_wrong_codes,
        housekeeping.delete_expired,
    ):
        job(late_context)
        yield f"worker {job.__name__}", ""
