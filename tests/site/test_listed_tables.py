"""The list of open tables has room for everyone: one host gets a few lines of it, and it is never longer than a page."""

from datetime import timedelta

from tests.support.cast import ALICE, BOB, DAVE
from tests.support.factories import Guest, open_table, sign_in_guests, table_settings
from tests.support.transactions import NOON, read_only
from webapp.kernel.tx import Database
from webapp.play.queries.games import MAX_LISTED_TABLES_OF_HOST
from webapp.site.home import HomePage, home_page

_MINUTE = timedelta(minutes=1)


def _home(database: Database, guest: Guest | None) -> HomePage:
    with read_only(database) as tx:
        return home_page(tx, guest and guest.cookie)


def _listed_slugs(database: Database, guest: Guest | None) -> list[str]:
    return [table.slug for table in _home(database, guest).open_tables]


def test_one_host_has_a_few_lines_of_the_list(database: Database) -> None:
    alice, bob, dave = sign_in_guests(database, ALICE, BOB, DAVE)
    settings = table_settings(public=True)
    slug_of_bob = open_table(database, bob, settings, now=NOON)
    slugs = [
        open_table(database, alice, settings, now=NOON + number * _MINUTE)
        for number in range(1, MAX_LISTED_TABLES_OF_HOST + 3)
    ]
    newest = slugs[:1:-1]
    assert len(newest) == MAX_LISTED_TABLES_OF_HOST
    for viewer in (dave, None):
        assert _listed_slugs(database, viewer) == [*newest, slug_of_bob]
        assert _home(database, viewer).has_unlisted_tables
    own_slugs = {game.table.slug for game in _home(database, alice).my_running_games}
    assert own_slugs == set(slugs)
    assert _listed_slugs(database, alice) == [slug_of_bob]


def test_short_list_is_complete(database: Database) -> None:
    alice, dave = sign_in_guests(database, ALICE, DAVE)
    open_table(database, alice, table_settings(public=True))
    assert not _home(database, dave).has_unlisted_tables


def test_private_tables_take_no_room_of_the_public_ones(database: Database) -> None:
    alice, dave = sign_in_guests(database, ALICE, DAVE)
    slug = open_table(database, alice, table_settings(public=True), now=NOON)
    for number in range(1, MAX_LISTED_TABLES_OF_HOST + 1):
        open_table(database, alice, table_settings(), now=NOON + number * _MINUTE)
    assert _listed_slugs(database, dave) == [slug]
