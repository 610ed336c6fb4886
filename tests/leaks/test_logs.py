"""Whatever fails, no log line holds a card, a token or an address."""

import logging
from datetime import timedelta

import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, BOB, CAROL, MALLORY
from tests.support.factories import DAY, NOON, deal, first, sign_in_all, sign_in_guest, wish
from tests.support.html import Form
from tests.support.visitors import DealtGame, Site
from webapp import urls
from webapp.services.play.bots import play_next_bot
from webapp.services.play.deadlines import sweep
from webapp.services.tx import Database, transaction


def refuse_turns(database: Database) -> None:
    """From now on the database refuses every turn, and quotes the row that it refuses."""
    say(database, "ALTER TABLE turn ADD CONSTRAINT no_more CHECK (seq < 1) NOT VALID")


def say(database: Database, statement: str) -> None:
    with database.engine.begin() as connection:
        connection.execute(text(statement))


@pytest.fixture
def quiet(site: Site) -> Site:
    """A site whose faults become pages and log lines, as they do outside of tests."""
    site.app.testing = False
    return site


def test_a_turn_that_cannot_be_stored_is_not_quoted(
    quiet: Site, caplog: pytest.LogCaptureFixture
) -> None:
    game = quiet.dealt_game(ALICE, BOB, CAROL)
    form = discard_form(game)
    refuse_turns(quiet.database)
    assert game.visitors[0].send(form).status_code == 500
    assert_tells_nothing(caplog, form.fields["card"])


def test_nor_is_one_of_the_clock_or_of_a_bot(quiet: Site, caplog: pytest.LogCaptureFixture) -> None:
    deal(quiet.database, sign_in_all(quiet.database, ALICE, BOB, CAROL))
    deal(quiet.database, [sign_in_guest(quiet.database, MALLORY)], wish(starter=1))
    refuse_turns(quiet.database)
    with transaction(quiet.database) as tx:
        assert sweep(tx, now=NOON + 2 * DAY, pick=first).failed
    with transaction(quiet.database) as tx:
        assert play_next_bot(tx, now=NOON, pause=timedelta(0), pick=first)
    assert_tells_nothing(caplog, "discarded")


def assert_tells_nothing(caplog: pytest.LogCaptureFixture, word: str) -> None:
    """The refusal stands in the log, and nothing of what was refused; Postgres quotes bytes in hexadecimal."""
    assert "no_more" in caplog.text
    assert "Failing row" not in caplog.text
    assert word not in caplog.text
    assert word.encode().hex() not in caplog.text


def test_an_address_that_is_there_already_is_not_quoted(database: Database) -> None:
    person = "INSERT INTO account (address, name, language, zone, created_at) VALUES"
    values = "('alice@example.test', '', 'en', 'UTC', now())"
    say(database, f"{person} {values}")
    with pytest.raises(Exception, match="account_address") as failed:
        say(database, f"{person} {values.replace('alice', 'ALICE')}")
    assert "example.test" not in str(failed.value).partition("[SQL")[0].lower()


@pytest.mark.parametrize(
    "path", [urls.sign_in_link("TOKEN"), urls.invitation("TOKEN"), urls.unsubscribe("TOKEN")]
)
def test_a_fault_on_a_page_with_a_token_does_not_write_the_token_down(
    quiet: Site, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    for table in ("sign_in", "invitation", "unsubscribe"):
        say(quiet.database, f"ALTER TABLE {table} RENAME TO {table}_gone")
    with caplog.at_level(logging.DEBUG):
        assert quiet.signed_out().get(path).status_code == 500
    assert "does not exist" in caplog.text
    assert "TOKEN" not in caplog.text


def discard_form(game: DealtGame) -> Form:
    alice = game.visitors[0]
    tile = alice.page(urls.game(game.slug)).links_of("card-tile")[0].href
    return alice.page(alice.page(tile).links_of("discard")[0].href).form_named("confirm")
