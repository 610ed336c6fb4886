from datetime import datetime, timedelta

import msgspec
import pytest
from sqlalchemy import text

from tests.support.cast import ALICE, MO
from tests.support.factories import sign_in_guest
from tests.support.transactions import NOON, transaction
from webapp.accounts.person import Person
from webapp.kernel.refusals import FieldErrors, NotFound
from webapp.kernel.site_settings import SignUp, SiteSettings
from webapp.kernel.tx import Database
from webapp.moderation.settings_change import SettingsChange, change_settings, version_of
from webapp.site.current_settings import SettingsCache, read_settings

DEFAULT_SETTINGS = SiteSettings(site_name="Pit")


@pytest.fixture
def mo(database: Database) -> Person:
    return msgspec.structs.replace(sign_in_guest(database, MO).person, is_moderator=True)


def change(
    database: Database,
    person: Person | None,
    *,
    reason: str = "better",
    form_id: str = "form-1",
    version: str | None = None,
    now: datetime = NOON,
    **values: str,
) -> tuple[str, ...]:
    settings_change = SettingsChange(values=values, reason=reason, form_id=form_id, version=version)
    with transaction(database, now) as tx:
        return change_settings(tx, person, settings_change, defaults=DEFAULT_SETTINGS)


def current_settings(database: Database) -> SiteSettings:
    with transaction(database) as tx:
        return read_settings(tx, DEFAULT_SETTINGS)


def test_change_is_in_force_and_in_the_ledger(database: Database, mo: Person) -> None:
    assert change(database, mo, site_name="Deep Mine", most_invited="5") == (
        "site_name",
        "most_invited",
    )
    assert current_settings(database) == SiteSettings(site_name="Deep Mine", most_invited=5)
    with transaction(database) as tx:
        rows = tx.execute(
            text("SELECT actor_id, before, after, reason FROM ledger ORDER BY id")
        ).all()
    assert [tuple(row) for row in rows] == [
        (mo.id, {"site_name": "Pit"}, {"site_name": "Deep Mine"}, "better"),
        (mo.id, {"most_invited": 30}, {"most_invited": 5}, "better"),
    ]


def test_same_settings_form_sent_again_changes_nothing(database: Database, mo: Person) -> None:
    version = version_of(current_settings(database))
    assert change(database, mo, sign_up="closed", version=version) == ("sign_up",)
    assert change(database, mo, sign_up="closed", version=version) == ()
    assert current_settings(database).sign_up is SignUp.CLOSED


def test_form_sent_again_with_another_value_is_recorded_again(
    database: Database, mo: Person
) -> None:
    change(database, mo, site_name="First")
    assert change(database, mo, site_name="Second", now=NOON + timedelta(seconds=1))
    with transaction(database) as tx:
        stored_values = tx.connection.scalars(text("SELECT after FROM ledger ORDER BY id")).all()
    assert stored_values == [{"site_name": "First"}, {"site_name": "Second"}]


def test_change_of_settings_that_someone_else_changed_meanwhile_is_refused(
    database: Database, mo: Person
) -> None:
    version = version_of(current_settings(database))
    change(database, mo, site_name="First")
    with pytest.raises(FieldErrors, match="version: changed-meanwhile"):
        change(database, mo, site_name="Second", version=version, form_id="form-2")
    assert current_settings(database).site_name == "First"


@pytest.mark.parametrize(
    "name, value, code",
    [
        ("site_name", "", "required"),
        ("site_name", "x" * 41, "too-long"),
        ("site_name", "a\u202eb", "control-characters"),
        ("sign_up", "sometimes", "unknown"),
        ("accent_colour", "red", "not-a-colour"),
        ("accent_colour", "#ffdd00", "low-contrast"),
        ("maintenance", "x" * 501, "too-long"),
        ("most_invited", "-1", "not-a-number"),
        ("most_invited", "0", "out-of-range"),
        ("most_invited", "9" * 500, "out-of-range"),
        ("imprint", "x" * 20_001, "too-long"),
        ("privacy", "a\x00b", "control-characters"),
    ],
)
def test_impossible_values_are_refused(
    database: Database, mo: Person, name: str, value: str, code: str
) -> None:
    with pytest.raises(FieldErrors, match=f"{name}: {code}"):
        change(database, mo, **{name: value})
    assert current_settings(database) == DEFAULT_SETTINGS


def test_reason_is_required(database: Database, mo: Person) -> None:
    with pytest.raises(FieldErrors, match="reason: required"):
        change(database, mo, site_name="x", reason=" ")


def test_others_may_not_change_settings(database: Database) -> None:
    alice = sign_in_guest(database, ALICE).person
    with pytest.raises(NotFound):
        change(database, alice, site_name="mine")


def test_process_sees_the_change_of_another_one_within_seconds(
    database: Database, mo: Person
) -> None:
    times = [NOON]
    cache = SettingsCache(database, DEFAULT_SETTINGS, lambda: times[-1])
    assert cache.current() == DEFAULT_SETTINGS
    change(database, mo, site_name="Deep Mine")
    assert cache.current() == DEFAULT_SETTINGS
    times.append(NOON + timedelta(seconds=5))
    assert cache.current().site_name == "Deep Mine"


def test_last_known_settings_stay_while_the_database_does_not_answer() -> None:
    unreachable_database = Database("postgresql://none@127.0.0.1:1/none", pool_size=1)
    assert (
        SettingsCache(unreachable_database, DEFAULT_SETTINGS, lambda: NOON).current()
        == DEFAULT_SETTINGS
    )
    unreachable_database.dispose()


def test_stored_value_of_another_release_is_ignored(database: Database) -> None:
    with transaction(database) as tx:
        tx.execute(
            text(
                "INSERT INTO site_setting (name, value) VALUES"
                " ('sign_up', '\"weekly\"'), ('unheard', '1')"
            )
        )
    assert current_settings(database) == DEFAULT_SETTINGS
