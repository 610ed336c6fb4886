"""A restored database holds what moderators, clubs and accounts stored, and protects it like the original."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.support.backup_files import all_rows, backup_of, execute, restore_backup
from tests.support.postgres import Postgres
from tests.support.visitors import Site
from tests.web.form_submissions import FormContext
from tests.web.forms_of_routes import forms_of_app
from tests.web.populated_site import populate_site

pytestmark = pytest.mark.own_database

_SENT_FORMS = (
    "POST players.block private",
    "POST moderation.save_filter -",
    "POST clubs.announce private",
    "POST clubs.ask_to_join public",
    "POST club_members.invite private",
    "POST address.request_change -",
    "POST peek.confirm_peek private",
    "reports.decide_report:dismiss",
    "acts.perform_act:open-seat",
    "sanctions.apply_sanction:ban",
    "unsubscribe.unsubscribe",
    "site_settings.change",
)
_FILLED_TABLES = [
    "address_change",
    "block",
    "club",
    "club_announcement",
    "club_invitation",
    "ledger",
    "maintenance",
    "membership",
    "opt_out",
    "passkey",
    "peek",
    "report",
    "sanction",
    "saved_filter",
    "season",
    "security_event",
    "site_setting",
    "sitting",
]
_INSERT_MORE_ROWS = """
    INSERT INTO maintenance (began_at, recorded_at) VALUES (now(), now());
    INSERT INTO passkey (ref, account_id, name, credential_id, public_key, sign_count, created_at)
        SELECT 'a-passkey', id, 'phone', '\\x01', '\\x02', 3, now() FROM account LIMIT 1;
"""
_FORBIDDEN_STATEMENTS = (
    "UPDATE ledger SET reason = 'another'",
    "DELETE FROM ledger",
    "TRUNCATE ledger CASCADE",
    "TRUNCATE game CASCADE",
    "INSERT INTO ledger SELECT * FROM ledger LIMIT 1 ON CONFLICT (id) DO UPDATE SET reason = 'another'",
    "WITH gone AS (DELETE FROM ledger RETURNING id) SELECT count(*) FROM gone",
    "DELETE FROM account",
)
"""What no one may do to the ledger, not even its owner, which the app is."""
_SEAT_PEEKER_STATEMENT = """
    UPDATE seat SET account_id = peek.account_id, name = 'Mo' FROM peek
    WHERE seat.game_id = peek.game_id AND seat.account_id IS NULL
"""


@pytest.fixture
def restored_url(site: Site, database_url: str, postgres: Postgres) -> Iterator[str]:
    """Yield the address of a copy, made by backup and restore, in which every table about people has rows."""
    form_context = FormContext(site, populate_site(site))
    forms = forms_of_app(site.app, form_context.populated_site)
    for name in _SENT_FORMS:
        answer = forms[name](form_context).send()
        assert answer.status_code in {200, 303}, name
    execute(database_url, _INSERT_MORE_ROWS)
    site.database.dispose()
    with postgres.empty_database() as url:
        restore_backup(url, backup_of(database_url))
        yield url


def test_restored_tables_of_moderation_equal_the_original(
    restored_url: str, database_url: str
) -> None:
    original = all_rows(database_url)
    assert [table for table in _FILLED_TABLES if not original[table]] == []
    assert all_rows(restored_url) == original


def test_restored_database_refuses_what_the_original_refuses(
    restored_url: str, database_url: str
) -> None:
    for url in (database_url, restored_url):
        earlier_rows = all_rows(url)
        for command in _FORBIDDEN_STATEMENTS:
            with pytest.raises(psycopg.Error):
                execute(url, command)
        with pytest.raises(psycopg.errors.RaiseException, match="has looked at the secrets"):
            execute(url, _SEAT_PEEKER_STATEMENT)
        assert all_rows(url) == earlier_rows
