import pytest
from sqlalchemy import select

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import (
    DAY,
    KEYS,
    NOON,
    Guest,
    deal_game,
    pick_first,
    request_sign_in_email,
)
from webapp.services.errors import NotFound
from webapp.services.notifications.delivery import claim
from webapp.services.notifications.email_context import UnsubscribeTokens
from webapp.services.notifications.preparation import OutgoingEmail, prepare_emails
from webapp.services.notifications.unsubscribe import resubscribe, unsubscribe, unsubscribe_page
from webapp.services.play.deadlines import sweep
from webapp.services.tx import Database, read_only, transaction
from webapp.store.schema.notifications import Notification, UnsubscribeToken


def _collect(database: Database) -> list[OutgoingEmail]:
    """Everything that is to be sent now; the claims are given back."""
    with transaction(database) as tx:
        claims = claim(tx, now=NOON + DAY, limit=1000)
        outgoing = list(prepare_emails(tx, claims, keys=KEYS, now=NOON))
        tx.connection.exec_driver_sql("UPDATE notification SET lease_until = NULL")
    return outgoing


def _tokens(database: Database, address: str) -> UnsubscribeTokens:
    letters = [letter for letter in _collect(database) if letter.address == address]
    assert letters[0].context is not None
    return letters[0].context.envelope.unsubscribe


def _press(database: Database, token: str | None) -> None:
    assert token is not None
    with transaction(database) as tx:
        unsubscribe(tx, token, now=NOON)


def _kinds(database: Database, address: str) -> set[str]:
    return {letter.claim.kind for letter in _collect(database) if letter.address == address}


def test_no_more_letters_of_one_game(database: Database, guests: list[Guest], slug: str) -> None:
    other = deal_game(database, guests)
    _press(database, _tokens(database, BOB.address).game)
    games = {
        letter.context.envelope.list_id
        for letter in _collect(database)
        if letter.context and letter.address == BOB.address
    }
    assert games in ({f"{other}.lodepost.test"}, {f"{slug}.lodepost.test"})
    assert _kinds(database, CAROL.address) >= {"dealt"}


def test_no_more_reminders_and_still_every_turn(
    database: Database, guests: list[Guest], slug: str
) -> None:
    _press(database, _tokens(database, ALICE.address).reminders)
    with transaction(database) as tx:
        assert sweep(tx, now=NOON + DAY * 0.9, pick=pick_first).reminded == 1
    assert _kinds(database, ALICE.address) == {"dealt", "your-turn"}


def test_no_more_letters_at_all_but_those_that_one_asks_for(
    database: Database, guests: list[Guest], slug: str
) -> None:
    _press(database, _tokens(database, ALICE.address).everything)
    assert _kinds(database, ALICE.address) == set()
    with transaction(database) as tx:
        request_sign_in_email(tx, ALICE)
    assert _kinds(database, ALICE.address) == {"sign-in"}
    with transaction(database) as tx:
        reasons = tx.connection.execute(
            select(Notification.reason).where(Notification.kind == "your-turn")
        )
        assert reasons.scalars().all() == ["unsubscribed"]


def test_looking_ends_nothing_and_pressing_twice_ends_it_once(
    database: Database, slug: str
) -> None:
    token = _tokens(database, ALICE.address).game
    assert token is not None
    with read_only(database) as tx:
        page = unsubscribe_page(tx, token)
    assert (page.scope, page.table_slug, page.done) == ("game", slug, False)
    for _ in range(2):
        _press(database, token)
    with read_only(database) as tx:
        assert unsubscribe_page(tx, token).done


def test_one_may_want_letters_again(database: Database, slug: str) -> None:
    tokens = _tokens(database, ALICE.address)
    assert tokens.everything is not None
    with transaction(database) as tx:
        unsubscribe(tx, tokens.everything, now=NOON)
        assert not resubscribe(tx, tokens.everything).done
    assert "dealt" in _kinds(database, ALICE.address)


def test_tokens_are_the_same_in_every_letter_and_differ_between_persons(
    database: Database, slug: str
) -> None:
    assert _tokens(database, ALICE.address) == _tokens(database, ALICE.address)
    alice, bob = _tokens(database, ALICE.address), _tokens(database, BOB.address)
    assert len({alice.game, alice.everything, alice.reminders, bob.game, bob.everything}) == 5


def test_a_token_carries_no_address_and_is_kept_as_a_hash(database: Database, slug: str) -> None:
    tokens = _tokens(database, ALICE.address)
    with transaction(database) as tx:
        rows = repr(tx.connection.execute(select(UnsubscribeToken.token_hash)).all())
    for token in (tokens.game, tokens.reminders, tokens.everything):
        assert token is not None
        assert "alice" not in token.lower()
        assert token not in rows


@pytest.mark.parametrize("token", ["", "made up", "\0", "\ud800", "x" * 9_999])
def test_a_made_up_token_ends_nothing(database: Database, token: str) -> None:
    with read_only(database) as tx, pytest.raises(NotFound):
        unsubscribe_page(tx, token)
    with transaction(database) as tx, pytest.raises(NotFound):
        unsubscribe(tx, token, now=NOON)
    with transaction(database) as tx, pytest.raises(NotFound):
        resubscribe(tx, token)
