"""No log line of a failure contains a card, a token or an address."""

import logging
from collections.abc import Collection

import pytest
from sqlalchemy import text
from werkzeug.routing import Rule

from tests.support.bots import play_next_bot
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import DAY, deal_game, sign_in_guest, sign_in_guests, table_settings
from tests.support.page_robot import discard_form
from tests.support.transactions import NOON, pick_first, transaction
from tests.support.visitors import Site
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.logs.masks import Mask

pytestmark = pytest.mark.own_database


def reject_turns(database: Database) -> None:
    """Make the database reject every turn with an error that quotes the row."""
    execute(database, "ALTER TABLE turn ADD CONSTRAINT no_more CHECK (seq < 1) NOT VALID")


def execute(database: Database, statement: str) -> None:
    with database.engine.begin() as connection:
        connection.execute(text(statement))


@pytest.fixture
def failing_site(site: Site) -> Site:
    """Return a site that answers faults with error pages and log lines, as outside of tests."""
    site.app.testing = False
    return site


def test_rejected_turn_of_a_player_is_not_logged(
    failing_site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    game = failing_site.dealt_game(ALICE, BOB, CAROL)
    form = discard_form(game.visitors[0], game.slug)
    reject_turns(failing_site.database)
    assert game.visitors[0].send(form).status_code == 500
    assert_row_is_not_logged(caplog, form.fields["card"])


def test_rejected_turns_of_clock_and_bots_are_not_logged(
    failing_site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    deal_game(failing_site.database, sign_in_guests(failing_site.database, ALICE, BOB, CAROL))
    deal_game(
        failing_site.database,
        [sign_in_guest(failing_site.database, MALLORY)],
        table_settings(starter=1),
    )
    reject_turns(failing_site.database)
    with transaction(failing_site.database) as tx:
        assert sweep_with_calls_sent(tx, now=NOON + 2 * DAY, random_below=pick_first).failed_count
    with transaction(failing_site.database) as tx:
        assert play_next_bot(tx, now=NOON, random_below=pick_first)
    assert_row_is_not_logged(caplog, "discarded")


def assert_row_is_not_logged(caplog: pytest.LogCaptureFixture, word: str) -> None:
    """Assert that the error is logged without the row, which Postgres quotes in hexadecimal."""
    assert "no_more" in caplog.text
    assert "Failing row" not in caplog.text
    assert word not in caplog.text
    assert word.encode().hex() not in caplog.text


def test_error_of_a_duplicate_address_does_not_quote_it(database: Database) -> None:
    insert_clause = "INSERT INTO account (address, name, language, zone, created_at) VALUES"
    values = "('alice@example.test', '', 'en', 'UTC', now())"
    execute(database, f"{insert_clause} {values}")
    with pytest.raises(Exception, match="account_address") as error_info:
        execute(database, f"{insert_clause} {values.replace('alice', 'ALICE')}")
    assert "example.test" not in str(error_info.value).partition("[SQL")[0].lower()


@pytest.mark.parametrize(
    "path",
    [
        urls.sign_in_link("TOKEN"),
        urls.sign_in_pause("TOKEN"),
        urls.invitation("TOKEN"),
        urls.seat_offer("TOKEN"),
        urls.unsubscribe("TOKEN"),
    ],
)
def test_fault_on_a_page_with_a_token_does_not_log_the_token(
    failing_site: Site, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    for table in ("sign_in", "invitation", "seat_offer", "unsubscribe_token"):
        execute(failing_site.database, f"ALTER TABLE {table} RENAME TO {table}_gone")
    with caplog.at_level(logging.DEBUG):
        assert failing_site.signed_out().get(path).status_code == 500
    assert "does not exist" in caplog.text
    assert "TOKEN" not in caplog.text


def test_token_in_the_path_of_any_page_is_masked(site: Site) -> None:
    paths = [
        build_path(rule, names)
        for rule in site.app.url_map.iter_rules()
        # The refs of sessions, passkeys and people give no one access.
        if (names := rule.arguments & {"link", "token"})
    ]
    assert len(paths) >= 8
    mask = Mask()
    assert [path for path in paths if "TOKEN" in mask(f"GET {path}?x=1 failed")] == []


def build_path(rule: Rule, names: Collection[str]) -> str:
    built = rule.build(dict.fromkeys(names, "TOKEN"))
    assert built is not None
    return built[1]
