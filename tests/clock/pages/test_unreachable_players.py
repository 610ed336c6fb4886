"""The open seat of a player whom no email about their turn has reached says so, and not that they have missed turns."""

from tests.play.test_undelivered_turns import settle_calls, sweep_without_emails
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.email_contexts import COMPOSER
from tests.support.factories import stored_game
from tests.support.fakes import drawn, text_of
from tests.support.late_games import make_public, set_late_rules
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls
from webapp.play.emails.seat_opened import SeatOpenedContext


def game_with_unreachable_alice(site: Site) -> DealtGame:
    dealt = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    make_public(site.database, dealt.slug)
    set_late_rules(site.database, dealt.slug, limit=3)
    for _ in range(2):
        settle_calls(site.database, "failed")
        deadline_at = stored_game(site.database, dealt.slug, dealt.guests[0]).row.deadline_at
        assert deadline_at is not None
        site.clock.now = deadline_at
        sweep_without_emails(site.database, deadline_at)
    return dealt


def test_page_of_an_unreachable_players_seat_speaks_of_emails_and_not_of_missed_turns(
    site: Site,
) -> None:
    game = game_with_unreachable_alice(site)
    path = urls.open_seat(game.slug)
    for visitor, sentence in (
        (game.visitors[0], "We couldn't reach you by email about your turn"),
        (game.visitors[1], "couldn't be reached by email. Do you know someone"),
        (site.signed_in(DAVE), "couldn't be reached by email. Would you like"),
    ):
        text = visitor.page(path).text
        assert sentence in text
        assert "missed 0 turns" not in text
        assert "missed too many turns" not in text


def test_email_to_an_unreachable_player_says_why_their_seat_is_open(site: Site) -> None:
    game_with_unreachable_alice(site)
    emails = site.deliver_emails()
    [context] = [email for email in emails if isinstance(email, SeatOpenedContext)]
    assert (context.was_unreachable, context.strikes) == (True, 0)
    text = " ".join(text_of(drawn(COMPOSER.compose(context, now=site.clock.now))).split())
    assert "We couldn't reach you by email about your turn" in text
    assert "You missed" not in text


def test_table_reads_why_the_seat_of_an_unreachable_player_was_open(site: Site) -> None:
    game = game_with_unreachable_alice(site)
    dave = site.signed_in(DAVE)
    dave.post(urls.open_seat(game.slug))
    text = game.visitors[1].page(urls.game(game.slug)).text
    assert "They stepped in for a player whose emails could not be delivered." in text
    assert "had missed too many turns" not in text
