"""No form, request body or header of any visitor causes a server error."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert
from werkzeug.routing import Rule

from engine.cards import ACTION_CARDS, PATH_CARDS, TOOLS
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.clubs import club_profile, found_club
from tests.support.factories import open_table, sign_in_guest, table_settings
from tests.support.sizes import case_count
from tests.support.visitors import Site, table_link
from webapp.accounts.schema import Session
from webapp.kernel import urls

pytestmark = pytest.mark.no_cover
_FIELD_NAMES = [
    *("seq", "do", "card", "cell", "turned", "seat", "tool", "nuggets", "discard", "refresh"),
    *(
        "address",
        "code",
        "return_path",
        "name",
        "language",
        "zone",
        "picks_gold",
        "salt",
        "starter",
    ),
    *("rulebook", "seats", "rounds", "allowance", "unit", "audience", "bots", "open_gold"),
    *("club", "season", "season_name", "starts_on", "ends_on", "description", "visibility"),
    *("who_may_open", "club_language", "announcement", "announcements", "proof", "reason"),
    *("pace", "bank", "refill", "weekdays", "opens", "closes"),
    *("steps", "goal-revealed", "area-changed"),
    *("strikes", "replacement"),
    *("until", "csrf_token", "key", "v", "\x00", "a[b]"),
]
_FIELD_VALUES = [
    *("", "0", "1", "2", "3", "-1", "99", "9" * 30, "1e9", "0x1", "٣", "NaN"),
    *("lay", "break", "repair", "rockfall", "look", "discard", "pass", "choosegoal", "turngoal"),
    *("takegold", "A5", "B5", "-A5", "I3", "I5", "I7", "ZZ-999", "en-2004", "uk-2017", "days"),
    *("volunteers", "invitation", "bot", "5"),
    *("brisk", "daily", "relaxed", "weekly", "custom", "08:00", "22:00", "24:00", "8:00"),
    *("public", "invited", "UTC", "Europe/Riga", "en", "lv", "x@example.test", "chance"),
    *("a@b\r\nBcc: c@d", "\x00", "\ufeff", "\u202e", "%00", "<script>", "{{ 7*7 }}", "' OR 1=1 --"),
    *("discard map; pass", "look I5; " * 9, "lay path-rl ZZ999", "rockfall A-99"),
    *("x" * 2000, "/", "//evil.example", "/games", "🪨" * 40),
    *PATH_CARDS,
    *ACTION_CARDS,
    *TOOLS,
]
_any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_field_values = st.sampled_from(_FIELD_VALUES) | _any_text
_fields = st.dictionaries(st.sampled_from(_FIELD_NAMES) | _any_text, _field_values, max_size=9)
_raw_bytes = st.binary(max_size=200)


_SESSION_ENDING_ENDPOINTS = (
    "sign_in.sign_out",
    "sessions.sign_out_other_browsers",
    "sessions.sign_out_browser",
)


class _FuzzedSite:
    """A site with a game, a lobby and signed-in visitors, restored after requests that end any of them."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.game = site.dealt_game(ALICE, BOB, CAROL, public=True)
        mallory = sign_in_guest(site.database, MALLORY)
        self.cookies = [*(guest.cookie for guest in self.game.guests), mallory.cookie, None]
        self.sessions = [row._asdict() for row in self._select_rows("SELECT * FROM session")]
        self.visitors = [site.signed_out() for _ in self.cookies]
        self.tokens = [""] * len(self.visitors)
        for number in range(len(self.visitors)):
            self.sign_in_again(number)
        self.open_lobby()
        self.club = found_club(site.database, self.game.guests[0], club_profile(is_public=True))
        self.rules = [rule for rule in site.app.url_map.iter_rules() if rule.endpoint != "static"]

    def open_lobby(self) -> None:
        """Open a table with free seats."""
        self.lobby = open_table(self.site.database, self.game.guests[0], table_settings(seats=4))
        self.link = table_link(self.visitors[0], self.lobby)

    def sign_in_again(self, number: int) -> None:
        """Restore all sessions, and sign this visitor in with theirs."""
        with self.site.database.engine.begin() as connection:
            connection.execute(insert(Session).on_conflict_do_nothing(), self.sessions)
        cookie = self.cookies[number]
        self.visitors[number] = self.site.signed_out()
        if cookie is not None:
            self.visitors[number].with_session(cookie)
        self.tokens[number] = self.visitors[number].token()

    def path(self, rule: Rule, *, is_existing: bool, word: str = "zzz") -> str:
        """Return a path for this route, of something that exists or with any text."""
        slugs = {
            "turns",
            "history",
            "plan",
            "votes",
            "deadlines",
            "nudge",
            "held-turn",
            "rounds",
            "messages",
            "notes",
            "version",
        }
        slug = self.game.slug if any(part in rule.rule for part in slugs) else self.lobby
        slug = self.club if rule.endpoint.startswith("club") else slug
        url_arguments = {"slug": slug, "link": self.link, "ref": "x", "key": "en-2004", "name": "x"}
        # These accept no other text.
        fixed_values = {"member": 1, "season": 1, "number": 1, "seat": 1, "vote_id": 1, "seq": 1}
        fixed_values["verb"] = "promote"
        arguments = {
            name: fixed_values.get(name) or (url_arguments.get(name, "x") if is_existing else word)
            for name in rule.arguments
        }
        return self.site.app.url_map.bind("localhost").build(rule.endpoint, arguments)

    def log(self) -> list[Any]:
        """Return the number of turns of every game."""
        turns = "SELECT game_id, count(*), max(seq) FROM turn GROUP BY game_id"
        return self._select_rows(f"SELECT * FROM ({turns}) AS counts ORDER BY game_id")

    def restore(self, rule: Rule, number: int) -> None:
        """Restore the session or the lobby that a request may have ended."""
        if rule.endpoint in _SESSION_ENDING_ENDPOINTS:
            self.sign_in_again(number)
        [(status,)] = self._select_rows(f"SELECT status FROM game WHERE slug = '{self.lobby}'")
        if status != "open":
            self.open_lobby()

    def _select_rows(self, statement: str) -> list[Any]:
        with self.site.database.engine.begin() as connection:
            return list(connection.execute(text(statement)))


@pytest.fixture
def fuzzed_site(site: Site) -> _FuzzedSite:
    return _FuzzedSite(site)


@settings(
    max_examples=case_count("fuzz_requests"),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_no_form_causes_a_server_error(fuzzed_site: _FuzzedSite, data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(fuzzed_site.rules))
    path = fuzzed_site.path(
        rule, is_existing=data.draw(st.integers(0, 3)) > 0, word=data.draw(_field_values)
    )
    number = data.draw(st.integers(0, len(fuzzed_site.visitors) - 1))
    fields: dict[str, Any] = data.draw(_fields)
    query = data.draw(_fields) if data.draw(st.booleans()) else {}
    if data.draw(st.integers(0, 4)):
        fields["csrf_token"] = fuzzed_site.tokens[number]
    method = "POST" if "POST" in (rule.methods or ()) else "GET"
    earlier_log = fuzzed_site.log()
    answer = fuzzed_site.visitors[number].client.open(
        path,
        method=method,
        data=fields if method == "POST" else None,
        query_string=query,
        environ_overrides={"REMOTE_ADDR": f"203.0.113.{data.draw(st.integers(0, 255))}"},
    )
    assert answer.status_code < 500
    if method == "GET" or answer.status_code >= 400:
        assert fuzzed_site.log() == earlier_log
    if method == "POST":
        fuzzed_site.restore(rule, number)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(body=_raw_bytes, query=_raw_bytes, rule=st.integers(0, 60))
def test_no_request_body_causes_a_server_error(
    fuzzed_site: _FuzzedSite, body: bytes, query: bytes, rule: int
) -> None:
    rules = [route for route in fuzzed_site.rules if "POST" in (route.methods or ())]
    path = fuzzed_site.path(rules[rule % len(rules)], is_existing=True)
    token = f"csrf_token={fuzzed_site.tokens[0]}&".encode()
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = fuzzed_site.visitors[0].client.post(
            path,
            data=token + body,
            query_string=query.decode("latin-1"),
            content_type=kind,
            environ_overrides={"REMOTE_ADDR": f"198.51.100.{len(body)}"},
        )
        assert answer.status_code < 500


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    header=st.sampled_from(
        [
            "Accept-Language",
            "User-Agent",
            "Cookie",
            "Host",
            "Referer",
            "Content-Length",
            "X-Forwarded-For",
        ]
    ),
    value=st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=300),
)
def test_no_header_causes_a_server_error(fuzzed_site: _FuzzedSite, header: str, value: str) -> None:
    visitor = fuzzed_site.site.signed_out()
    for path in (urls.home(), urls.game(fuzzed_site.game.slug), urls.sign_in()):
        assert visitor.get(path, headers={header: value}).status_code < 500
