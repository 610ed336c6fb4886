"""Pages say that this is a restored copy, until it is released."""

from datetime import timedelta

import pytest

from tests.support.backup_files import backup_of, restore_backup
from tests.support.cast import ALICE
from tests.support.compiled_templates import create_app
from tests.support.factories import sign_in_guest
from tests.support.fakes import FakeClock
from tests.support.transactions import transaction
from tests.support.visitors import Site, settings_for
from webapp.kernel import urls
from webapp.kernel.site_settings import SiteSettings
from webapp.kernel.tx import Database
from webapp.moderation.copy_release import release

pytestmark = pytest.mark.own_database


@pytest.fixture
def copy(database_url: str, empty_database_url: str) -> Site:
    """A restored copy in which Alice is a site moderator."""
    restore_backup(empty_database_url, backup_of(database_url), is_held=True)
    database = Database(empty_database_url, pool_size=2)
    clock = FakeClock()
    sign_in_guest(database, ALICE)
    with transaction(database) as tx:
        tx.connection.exec_driver_sql("UPDATE account SET is_moderator = true")
    settings = settings_for("postgresql://unused")
    return Site(create_app(settings, database=database, now=clock), database, clock)


def test_copy_is_closed_and_says_so(copy: Site) -> None:
    visitor = copy.signed_out()
    assert "being restored from a backup" in visitor.page("/", status=503).text
    assert visitor.get(urls.health()).get_json()["email_held"] is True
    moderator = copy.signed_in(ALICE)
    assert "This is a restored copy" in moderator.page(urls.moderation()).text
    with transaction(copy.database, copy.clock.now) as tx:
        release(
            tx,
            reason="The old machine is gone.",
            drop_older_than=None,
            defaults=SiteSettings(),
        )
    copy.clock.move(timedelta(seconds=10))
    assert visitor.get(urls.health()).get_json()["email_held"] is False
    assert visitor.page("/").text
    assert "This is a restored copy" not in moderator.page(urls.moderation()).text
    copy.database.dispose()


def test_health_check_names_a_wrong_key(copy: Site) -> None:
    """The copy expects the key of the backup; this server has another."""
    assert copy.signed_out().get(urls.health()).get_json()["secret_key"] == "wrong"
    copy.database.dispose()
