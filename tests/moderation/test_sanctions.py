from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from tests.support.acts import as_moderator, ledger_acts
from tests.support.cast import ALICE, BOB, CAROL, MO
from tests.support.factories import DAY, Guest, sign_in_guest
from tests.support.moderation import execute, make_moderator
from tests.support.transactions import NOON, transaction
from webapp.accounts.person import Banned, Person
from webapp.accounts.sessions import person_for
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.tx import Database
from webapp.mail.outbox import delivery
from webapp.mail.outbox.delivery import Claim
from webapp.mail.preparation import prepare_emails
from webapp.moderation.sanctions import SanctionRequest, preview, sanction_person


@pytest.fixture
def alice(database: Database) -> Guest:
    return sign_in_guest(database, ALICE)


@pytest.fixture
def mo(database: Database) -> Person:
    sign_in_guest(database, MO)
    make_moderator(database, MO)
    return sign_in_guest(database, MO).person


def ref_of(database: Database, guest: Guest) -> str:
    with transaction(database) as tx:
        query = "SELECT ref FROM account WHERE id = %s"
        return str(tx.connection.exec_driver_sql(query, (guest.person.id,)).scalar_one())


def act(
    database: Database, actor: Person | None, guest: Guest, sanction_request: SanctionRequest
) -> bool:
    with transaction(database) as tx:
        ref = tx.connection.exec_driver_sql(
            "SELECT ref FROM account WHERE id = %s", (guest.person.id,)
        ).scalar_one()
        return sanction_person(tx, actor, ref, sanction_request)


BAN_REQUEST = SanctionRequest("ban", "insults", "form-1", days=7)


def test_banned_person_is_refused_until_the_ban_ends(
    database: Database, alice: Guest, mo: Person
) -> None:
    assert act(database, mo, alice, BAN_REQUEST)
    with pytest.raises(Banned), transaction(database, NOON + 6 * DAY) as tx:
        person_for(tx, alice.cookie)
    with transaction(database, NOON + 7 * DAY) as tx:
        assert person_for(tx, alice.cookie) is not None


def test_lifted_ban_ends_at_once(database: Database, alice: Guest, mo: Person) -> None:
    act(database, mo, alice, BAN_REQUEST)
    assert act(database, mo, alice, SanctionRequest("unban", "a mistake", "form-2"))
    with transaction(database) as tx:
        assert person_for(tx, alice.cookie) is not None
    with pytest.raises(NotAllowed):
        act(database, mo, alice, SanctionRequest("unban", "again", "form-3"))
    assert [email.kind for email in emails_about_bans(database)] == ["ban-lifted"]


def test_email_about_a_lifted_ban_is_not_sent_to_someone_banned_again(
    database: Database, alice: Guest, mo: Person
) -> None:
    act(database, mo, alice, BAN_REQUEST)
    act(database, mo, alice, SanctionRequest("unban", "a mistake", "form-2"))
    act(database, mo, alice, BAN_REQUEST._replace(form_id="form-3"))
    assert [email.kind for email in emails_about_bans(database)] == ["ban"]


def emails_about_bans(database: Database) -> list[Claim]:
    with transaction(database) as tx:
        claims = delivery.claim(tx)
        outgoing = prepare_emails(tx, claims)
    return [email.claim for email in outgoing if email.claim.kind.startswith("ban")]


def test_form_that_is_sent_twice_acts_once(database: Database, alice: Guest, mo: Person) -> None:
    assert act(database, mo, alice, BAN_REQUEST)
    assert not act(database, mo, alice, BAN_REQUEST)
    with transaction(database) as tx:
        for table in ("sanction", "ledger", "notification WHERE kind = 'ban'"):
            count = tx.connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            assert count == 1


@pytest.mark.parametrize(
    "sanction_request, field",
    [
        (BAN_REQUEST._replace(days=0), "days"),
        (BAN_REQUEST._replace(days=366), "days"),
        (BAN_REQUEST._replace(days=None), "days"),
        (BAN_REQUEST._replace(reason=" "), "reason"),
        (BAN_REQUEST._replace(reason="x" * 501), "reason"),
        (BAN_REQUEST._replace(kind="rename", name=""), "name"),
        (BAN_REQUEST._replace(kind="rename", name="a(b)"), "name"),
    ],
)
def test_absurd_sanction_request_names_its_field(
    database: Database, alice: Guest, mo: Person, sanction_request: SanctionRequest, field: str
) -> None:
    with pytest.raises(FieldErrors) as error_info:
        act(database, mo, alice, sanction_request)
    assert error_info.value.errors[0].field == field


def test_only_site_moderators_sanction_and_neither_themselves_nor_each_other(
    database: Database, alice: Guest, mo: Person
) -> None:
    bob, carol = sign_in_guest(database, BOB), sign_in_guest(database, CAROL)
    make_moderator(database, CAROL)
    with pytest.raises(NotFound):
        act(database, bob.person, alice, BAN_REQUEST)
    with pytest.raises(NotAllowed):
        act(database, mo, Guest(mo, ""), BAN_REQUEST)
    with pytest.raises(NotAllowed):
        act(database, mo, carol, BAN_REQUEST)
    assert act(database, None, carol, BAN_REQUEST._replace(form_id="operator"))


def test_renamed_person_has_the_new_name_and_the_ledger_has_neither(
    database: Database, alice: Guest, mo: Person
) -> None:
    act(database, mo, alice, SanctionRequest("rename", "offensive", "form", name="Agate"))
    with transaction(database) as tx:
        person = person_for(tx, alice.cookie)
        row = tx.connection.exec_driver_sql("SELECT act, before, after FROM ledger").one()
    assert person is not None
    assert person.name == "Agate"
    assert person.warning_id is not None
    assert tuple(row) == ("rename-person", {}, {})


def test_preview_changes_nothing(database: Database, alice: Guest, mo: Person) -> None:
    ref = ref_of(database, alice)
    with transaction(database) as tx:
        shown_preview = preview(tx, mo, ref, BAN_REQUEST)
    assert (shown_preview.name, shown_preview.until) == ("Alice", NOON + timedelta(days=7))
    with transaction(database) as tx:
        assert person_for(tx, alice.cookie) is not None


def test_right_that_ended_a_moment_ago_is_gone(
    database: Database, alice: Guest, mo: Person
) -> None:
    execute(database, "UPDATE account SET is_moderator = false")
    mo_again = sign_in_guest(database, MO).person
    with pytest.raises(NotFound):
        act(database, mo_again, alice, BAN_REQUEST)


def test_sanction_sent_twice_is_one_and_a_changed_form_is_another(
    database: Database, alice: Guest, mo: Person
) -> None:
    assert act(database, mo, alice, BAN_REQUEST)
    assert not act(database, mo, alice, BAN_REQUEST)
    assert act(database, mo, alice, BAN_REQUEST._replace(days=30))
    assert act(database, None, alice, BAN_REQUEST)
    lift_request = SanctionRequest("unban", "a mistake", "form-1")
    assert act(database, mo, alice, lift_request)
    assert not act(database, mo, alice, lift_request)
    assert ledger_acts(database) == ["ban", "ban", "ban", "unban"]


def test_second_of_two_moderators_at_once_is_refused(
    database: Database, alice: Guest, mo: Person
) -> None:
    carol = as_moderator(sign_in_guest(database, CAROL).person)
    ref = ref_of(database, alice)
    with transaction(database) as tx:
        shown_preview = preview(tx, mo, ref, BAN_REQUEST)
    sanction_requests = {
        mo: BAN_REQUEST._replace(expected_entry=shown_preview.entry),
        carol: SanctionRequest("warn", "be kind", "form-2", expected_entry=shown_preview.entry),
    }

    def sanction(moderator: Person) -> str | DenialReason:
        try:
            act(database, moderator, alice, sanction_requests[moderator])
        except NotAllowed as refusal:
            return refusal.reason
        return "done"

    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(sanction, sanction_requests)) == {
            "done",
            DenialReason.SANCTIONED_MEANWHILE,
        }
    assert len(ledger_acts(database)) == 1
