import pytest
from sqlalchemy import select

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import DAY, Guest, deal_game, request_sign_in_email
from tests.support.transactions import NOON, read_only, transaction
from webapp.clock.sweep import sweep
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Database
from webapp.mail.envelope import UnsubscribeTokens
from webapp.mail.outbox.delivery import claim
from webapp.mail.outbox.unsubscribe import resubscribe, unsubscribe, unsubscribe_page
from webapp.mail.preparation import OutgoingEmail, prepare_emails
from webapp.mail.schema import Notification, UnsubscribeToken


def _collect_emails(database: Database) -> list[OutgoingEmail]:
    """Return everything that is to be sent now, and release the claims."""
    with transaction(database) as tx:
        claims = claim(tx.at(NOON + DAY), limit=1000)
        outgoing = list(prepare_emails(tx.at(NOON), claims))
        tx.connection.exec_driver_sql("UPDATE notification SET lease_until = NULL")
    return outgoing


def _unsubscribe_tokens(database: Database, address: str) -> UnsubscribeTokens:
    emails = [email for email in _collect_emails(database) if email.address == address]
    assert emails[0].context is not None
    return emails[0].context.envelope.unsubscribe


def _unsubscribe(database: Database, token: str | None) -> None:
    assert token is not None
    with transaction(database) as tx:
        unsubscribe(tx, token)


def _kinds_sent_to(database: Database, address: str) -> set[str]:
    return {email.claim.kind for email in _collect_emails(database) if email.address == address}


def test_opt_out_of_one_game_stops_its_emails_only(
    database: Database, guests: list[Guest], slug: str
) -> None:
    other = deal_game(database, guests)
    _unsubscribe(database, _unsubscribe_tokens(database, BOB.address).game)
    games = {
        email.context.envelope.list_id
        for email in _collect_emails(database)
        if email.context and email.address == BOB.address
    }
    assert games in ({f"{other}.lodepost.test"}, {f"{slug}.lodepost.test"})
    assert _kinds_sent_to(database, CAROL.address) >= {"dealt"}


def test_opt_out_of_reminders_keeps_turn_emails(
    database: Database, guests: list[Guest], slug: str
) -> None:
    _unsubscribe(database, _unsubscribe_tokens(database, ALICE.address).reminders)
    with transaction(database, NOON + DAY * 0.9) as tx:
        assert sweep(tx).reminded_count == 1
    assert _kinds_sent_to(database, ALICE.address) == {"your-turn"}


def test_opt_out_of_everything_keeps_requested_sign_in_emails(
    database: Database, guests: list[Guest], slug: str
) -> None:
    _unsubscribe(database, _unsubscribe_tokens(database, ALICE.address).everything)
    assert _kinds_sent_to(database, ALICE.address) == set()
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
    assert _kinds_sent_to(database, ALICE.address) == {"sign-in"}
    with transaction(database) as tx:
        reasons = tx.execute(select(Notification.reason).where(Notification.kind == "your-turn"))
        assert reasons.scalars().all() == ["unsubscribed"]


def test_page_changes_nothing_and_unsubscribing_may_be_repeated(
    database: Database, slug: str
) -> None:
    token = _unsubscribe_tokens(database, ALICE.address).game
    assert token is not None
    with read_only(database) as tx:
        page = unsubscribe_page(tx, token)
    assert (page.scope, page.table_slug, page.is_unsubscribed) == ("game", slug, False)
    for _ in range(2):
        _unsubscribe(database, token)
    with read_only(database) as tx:
        assert unsubscribe_page(tx, token).is_unsubscribed


def test_resubscribing_sends_emails_again(database: Database, slug: str) -> None:
    tokens = _unsubscribe_tokens(database, ALICE.address)
    assert tokens.everything is not None
    with transaction(database) as tx:
        unsubscribe(tx, tokens.everything)
        assert not resubscribe(tx, tokens.everything).is_unsubscribed
    assert "your-turn" in _kinds_sent_to(database, ALICE.address)


def test_tokens_are_stable_and_differ_between_recipients(database: Database, slug: str) -> None:
    assert _unsubscribe_tokens(database, ALICE.address) == _unsubscribe_tokens(
        database, ALICE.address
    )
    alice, bob = (
        _unsubscribe_tokens(database, ALICE.address),
        _unsubscribe_tokens(database, BOB.address),
    )
    assert len({alice.game, alice.everything, alice.reminders, bob.game, bob.everything}) == 5


def test_token_contains_no_address_and_is_stored_as_a_hash(database: Database, slug: str) -> None:
    tokens = _unsubscribe_tokens(database, ALICE.address)
    with transaction(database) as tx:
        rows = repr(tx.execute(select(UnsubscribeToken.token_hash)).all())
    for token in (tokens.game, tokens.reminders, tokens.everything):
        assert token is not None
        assert "alice" not in token.lower()
        assert token not in rows


@pytest.mark.parametrize("token", ["", "unknown", "\0", "\ud800", "x" * 9_999])
def test_unknown_token_is_not_found(database: Database, token: str) -> None:
    with read_only(database) as tx, pytest.raises(NotFound):
        unsubscribe_page(tx, token)
    with transaction(database) as tx, pytest.raises(NotFound):
        unsubscribe(tx, token)
    with transaction(database) as tx, pytest.raises(NotFound):
        resubscribe(tx, token)
