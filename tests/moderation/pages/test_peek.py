"""The peek: recorded before it shows anything, refused to anyone who could play, and shown to no one else."""

from datetime import timedelta
from email import message_from_bytes
from email.policy import default

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from engine.rulebook import HouseRules
from tests.support.acts import perform_act
from tests.support.cast import ALICE, BOB, CAROL, MO
from tests.support.factories import play_to_end, play_turn, sign_in_guest, stored_game
from tests.support.fakes import drawn
from tests.support.html import Page
from tests.support.mailbox import COMPOSER
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.mail.envelope import EmailContext
from webapp.moderation.emails.moderator_act import ModeratorActContext
from webapp.moderation.moderators import add_moderator, remove_moderator
from webapp.moderation.queries import ledger
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.moderation.queries.shown_acts import MAX_SHOWN_ACTS
from webapp.play.emails.game_over import GameOverContext


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL, house=HouseRules(rounds=1))


@pytest.fixture
def moderator(site: Site) -> Visitor:
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, MO.address, reason="helps")
    return site.signed_in(MO)


def confirm(
    visitor: Visitor, slug: str, reason: str = "who broke it?", **changed_fields: str
) -> Page:
    """Send the form with a reason; return the page that follows."""
    form = visitor.page(urls.peek(slug)).form(urls.peek(slug))
    answer = visitor.send(form, reason=reason, **changed_fields)
    if answer.status_code != 303:
        return Page(answer.text)
    return visitor.page(answer.location)


def records(site: Site) -> list[tuple[int, str]]:
    with transaction(site.database) as tx:
        rows = tx.execute(
            text("SELECT peek.seq, reason FROM peek JOIN ledger ON ledger.id = ledger_id")
        )
        return [(row.seq, row.reason) for row in rows]


def text_of_email(site: Site, email: EmailContext) -> str:
    """Return the plain text of an email on one line."""
    message = drawn(COMPOSER.compose(email, now=site.clock.now))
    body = message_from_bytes(message, policy=default).get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().split())


def test_peek_is_recorded_and_shows_roles_hands_and_goals(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    moderator.page(urls.peeked_game(game.slug), status=404)
    page = confirm(moderator, game.slug)
    assert records(site) == [(0, "who broke it?")]
    state = stored_game(site.database, game.slug, game.guests[0]).state
    assert page.text.lower().count("saboteur") >= state.roles.count("saboteur")
    for name in ("Alice", "Bob", "Carol"):
        assert name in page.text


def test_peek_form_sent_twice_is_recorded_once(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    form = moderator.page(urls.peek(game.slug)).form(urls.peek(game.slug))
    for _ in range(2):
        assert moderator.send(form, reason="a dispute").status_code == 303
    assert len(records(site)) == 1


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501, "a\u202eb"])
def test_peek_requires_a_reason(
    site: Site, game: DealtGame, moderator: Visitor, reason: str
) -> None:
    confirm(moderator, game.slug, reason)
    assert records(site) == []
    moderator.page(urls.peeked_game(game.slug), status=404)


def test_peek_form_is_shown_again_when_the_game_has_moved_on(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    form = moderator.page(urls.peek(game.slug)).form(urls.peek(game.slug))
    play_turn(site.database, game.slug, game.guests[0])
    assert moderator.send(form, reason="a dispute").status_code == 409
    assert records(site) == []


def test_peek_page_hides_later_turns_and_expires(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    earlier_text = confirm(moderator, game.slug).text
    play_turn(site.database, game.slug, game.guests[0], now=site.clock.now + timedelta(minutes=1))
    assert moderator.page(urls.peeked_game(game.slug)).text == earlier_text
    site.clock.now += timedelta(minutes=16)
    moderator.page(urls.peeked_game(game.slug), status=404)


def test_recorded_peek_opens_the_page_to_no_one_else(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    confirm(moderator, game.slug)
    for visitor in (*game.visitors, site.signed_in(BOB._replace(address="dan@example.test"))):
        visitor.page(urls.peeked_game(game.slug), status=404)
    with transaction(site.database, site.clock.now) as tx:
        remove_moderator(tx, MO.address, reason="left")
    moderator.page(urls.peeked_game(game.slug), status=404)


def test_seated_moderator_gets_no_peek(site: Site, game: DealtGame) -> None:
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, BOB.address, reason="helps")
    game.visitors[1].page(urls.peek(game.slug), status=404)


def test_invited_moderator_gets_no_peek(site: Site, game: DealtGame, moderator: Visitor) -> None:
    with transaction(site.database) as tx:
        tx.execute(
            text(
                "INSERT INTO invitation (game_id, nonce, token_hash, address, invited_by, invited_at)"
                " SELECT id, '\\x00', '\\x01', :address, host_id, opened_at FROM game"
            ),
            {"address": MO.address.upper()},
        )
    assert "invited to play" in moderator.page(urls.peek(game.slug), status=409).text


def test_database_keeps_someone_who_peeked_from_sitting_down(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    confirm(moderator, game.slug)
    mo = sign_in_guest(site.database, MO, now=site.clock.now)
    raises_refusal = pytest.raises(DBAPIError, match="has looked at the secrets")
    with raises_refusal, transaction(site.database) as tx:
        tx.execute(text("UPDATE seat SET account_id = :mo WHERE number = 2"), {"mo": mo.person.id})


def test_peek_is_not_disclosed_before_the_end(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    earlier_text = game.visitors[1].page(urls.game(game.slug)).text
    confirm(moderator, game.slug)
    assert game.visitors[1].page(urls.game(game.slug)).text == earlier_text


def test_peek_is_disclosed_when_the_game_ends(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    confirm(moderator, game.slug, "who broke the lantern?")
    site.deliver_emails()
    play_to_end(site.database, game.slug, game.guests, now=site.clock.now)
    page = game.visitors[1].page(urls.history(game.slug)).text
    assert "All roles and cards were looked at." in page
    assert "who broke the lantern?" in page
    # Superseded emails about turns are claimed first.
    delivered_emails = [email for _ in range(20) for email in site.deliver_emails()]
    game_over_emails = [email for email in delivered_emails if isinstance(email, GameOverContext)]
    assert len(game_over_emails) == 3
    for email in game_over_emails:
        assert "who broke the lantern?" in text_of_email(site, email)


def test_peek_is_disclosed_when_the_game_is_cancelled(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    confirm(moderator, game.slug, "who broke the lantern?")
    now = site.clock.now
    perform_act(site.database, game.slug, GameRight.ANNOUNCE_TO_TABLE, reason="Patience.", now=now)
    perform_act(site.database, game.slug, GameRight.CANCEL_GAME, reason="No one plays.", now=now)
    for path in (urls.game(game.slug), urls.history(game.slug)):
        page = game.visitors[1].page(path).text
        assert "All roles and cards were looked at." in page
        assert "who broke the lantern?" in page
    act_emails = [
        email for email in site.deliver_emails() if isinstance(email, ModeratorActContext)
    ]
    texts = {act: text_of_email(site, email) for email in act_emails for act in [email.act.act]}
    assert len(act_emails) == 6
    assert "who broke the lantern?" in texts[GameRight.CANCEL_GAME]
    assert "who broke the lantern?" not in texts[GameRight.ANNOUNCE_TO_TABLE]


def test_peek_needs_a_fresh_proof_of_who_the_moderator_is(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    form = moderator.page(urls.peek(game.slug)).form(urls.peek(game.slug))
    site.clock.now += timedelta(minutes=16)
    answer = moderator.get(urls.peek(game.slug))
    assert (answer.status_code, answer.location) == (303, urls.identity())
    code_page = moderator.send(form, reason="who?")
    assert code_page.status_code == 403
    assert Page(code_page.text).form(urls.identity_code()).fields["reason"] == "who?"
    assert records(site) == []
    moderator.page(urls.peeked_game(game.slug), status=404)
    game.visitors[0].page(urls.peek(game.slug), status=404)


def test_forms_of_players_do_not_tell_of_a_peek(game: DealtGame, moderator: Visitor) -> None:
    path = urls.moderated_act(game.slug, GameRight.NUDGE)
    host, player = game.visitors[:2]
    forms = [visitor.page(path).form(path) for visitor in (host, player)]
    confirm(moderator, game.slug)
    forms_after_reload = [visitor.page(path).form(path) for visitor in (host, player)]
    assert [form.fields["entry"] for form in forms_after_reload] == [
        form.fields["entry"] for form in forms
    ]
    assert host.send(forms[0], reason="your turn").status_code == 303


def test_old_peek_is_disclosed_however_many_acts_followed(
    site: Site, game: DealtGame, moderator: Visitor
) -> None:
    confirm(moderator, game.slug)
    with transaction(site.database) as tx:
        game_id = tx.connection.scalar(text("SELECT game_id FROM peek"))
        for number in range(MAX_SHOWN_ACTS + 1):
            entry = NewLedgerEntry(
                act=GameRight.RESUME,
                actor_id=None,
                acted_as="operator",
                game_id=game_id,
                seq=0,
                reason="again",
                form_id=f"resumed {number}",
                at=site.clock.now,
            )
            assert ledger.add(tx, entry) is not None
    assert "who broke it?" not in game.visitors[0].page(urls.game(game.slug)).text
    play_to_end(site.database, game.slug, game.guests)
    assert "who broke it?" in game.visitors[0].page(urls.game(game.slug)).text
