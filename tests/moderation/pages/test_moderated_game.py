from datetime import timedelta

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.play.test_undelivered_turns import sweep_without_emails
from tests.support.acts import perform_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import DAY, play_turn
from tests.support.moderation import (
    RELAY_ANSWER,
    execute,
    make_moderator,
    moderator_of,
    pause,
    set_turn_email_status,
)
from tests.support.statements import recorded_statements
from tests.support.transactions import NOON, pick_first, transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.moderation import game_page
from webapp.moderation.queries import ledger
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.operations import maintenance
from webapp.play.changes.acts import acts_by_name

HOUR = timedelta(hours=1)


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def test_page_of_a_game_does_not_exist_for_its_players_and_others(
    site: Site, game: DealtGame
) -> None:
    path = urls.moderated_game(game.slug)
    make_moderator(site.database, ALICE)
    game.visitors[0].page(path, status=404)
    game.visitors[1].page(path, status=404)
    site.signed_in(DAVE).page(path, status=404)
    assert site.signed_out().get(path).status_code == 303
    moderator_of(site).page(urls.moderated_game("none"), status=404)


def test_timeline_of_the_current_turn_has_its_email_and_its_deadline(
    site: Site, game: DealtGame
) -> None:
    set_turn_email_status(site.database, game.slug, "failed", reason=RELAY_ANSWER, at=NOON)
    text = moderator_of(site).page(urls.moderated_game(game.slug)).text
    for words in (
        "Alice's turn began. Deadline: ",
        "refused by the mail server",
        RELAY_ANSWER,
        "The deadline.",
    ):
        assert words in text


def test_what_happened_to_a_turn_is_the_story_that_its_players_read(
    site: Site, game: DealtGame
) -> None:
    """With what moves a deadline without an act, and from the first beginning of a turn that got its whole time again."""
    moderator = moderator_of(site)
    site.clock.move(HOUR)
    perform_act(site.database, game.slug, GameRight.EXTEND, extra=DAY, now=site.clock.now)
    with transaction(site.database, site.clock.now + HOUR) as tx:
        assert maintenance.record_outage(
            tx, cause="server", began_at=site.clock.now, ended_at=site.clock.now + HOUR
        )
        while maintenance.shift_next_games(tx):
            pass
    site.clock.move(3 * DAY)
    sweep_without_emails(site.database, site.clock.now)
    story = page_steps(moderator, urls.deadlines(game.slug), "timeline__turn")
    clock_story = [step for step in story if "queued" not in step]
    assert any("Our server was down" in step for step in clock_story)
    assert any("got the whole time again" in step for step in clock_story)
    assert "Alice's turn began. Deadline: Tue 3 Mar" in clock_story[0]
    shown = page_steps(moderator, urls.moderated_game(game.slug), "steps__step")
    for step in clock_story:
        assert step in shown


def page_steps(visitor: Visitor, path: str, class_name: str) -> list[str]:
    """Return the sentences of a list of steps, without their times."""
    nodes = LexborHTMLParser(visitor.get(path).text).css(f"li.{class_name} > :last-child")
    return [" ".join(node.text(separator=" ").split()) for node in nodes]


def test_timeline_of_a_turn_that_ran_out_of_time_has_its_reminder(
    site: Site, game: DealtGame
) -> None:
    for part in (0.8, 1.0):
        site.clock.now = NOON + DAY * part
        site.deliver_emails()
        with transaction(site.database) as tx:
            sweep_with_calls_sent(tx, now=site.clock.now, random_below=pick_first)
    text = moderator_of(site).page(urls.moderated_game(game.slug)).text
    assert "time ran out" in text
    assert "Reminder: written." in text
    assert "Time ran out, so the clock played for Alice." in text


def test_answer_time_of_a_player_is_shown(site: Site, game: DealtGame) -> None:
    play_turn(site.database, game.slug, game.guests[0], now=NOON + DAY / 12)
    text = moderator_of(site).page(urls.moderated_game(game.slug)).text
    assert "Turn 1: Alice" in text
    assert "after 2 hours" in text
    assert "Alice played in time." in text


def test_acts_of_moderators_are_part_of_the_timeline(site: Site, game: DealtGame) -> None:
    with transaction(site.database) as tx:
        [game_id] = tx.connection.exec_driver_sql("SELECT id FROM game").scalars()
        entry = NewLedgerEntry(
            act="extend",
            actor_id=game.guests[1].person.id,
            acted_as="site-moderator",
            game_id=game_id,
            seq=0,
            reason="Alice is on a train",
            form_id="form",
            at=NOON,
        )
        ledger.add(tx, entry)
    text = moderator_of(site).page(urls.moderated_game(game.slug)).text
    assert text.count("Bob, a moderator of this site: Extend") == 2
    assert text.count("Alice is on a train") == 2


def test_paused_game_offers_to_resume_and_a_running_one_to_pause(
    site: Site, game: DealtGame
) -> None:
    mo = moderator_of(site)

    def offered_acts() -> set[str]:
        page = mo.page(urls.moderated_game(game.slug))
        return {link.href.rpartition("/")[2] for link in page.links if "/acts/" in link.href}

    assert {"pause", "extend"} <= offered_acts()
    assert "The deadline." in mo.page(urls.moderated_game(game.slug)).text
    pause(site.database, game.slug, at=NOON)
    assert "The deadline." not in mo.page(urls.moderated_game(game.slug)).text
    assert "resume" in offered_acts()
    assert "extend" not in offered_acts()


def test_table_before_the_deal_offers_no_acts(site: Site, game: DealtGame) -> None:
    execute(site.database, "UPDATE game SET status = 'cancelled'")
    page = moderator_of(site).page(urls.moderated_game(game.slug))
    assert not [link for link in page.links if "/acts/" in link.href]


def test_page_of_a_game_takes_four_statements(site: Site, game: DealtGame) -> None:
    mo = moderator_of(site)
    with recorded_statements(site.database) as statements:
        mo.get(urls.moderated_game(game.slug))
    assert len(statements) == 4
    assert "BEGIN" not in statements


def test_every_act_belongs_to_one_group() -> None:
    places = [act.group for act in acts_by_name().values() if act.has_page]
    assert len(places) == len(set(places)) == 15
    assert {group for group, _ in filter(None, places)} == set(game_page._ACT_GROUPS)


def test_emails_that_arrived_are_counted_and_the_others_listed_one_by_one(
    site: Site, game: DealtGame
) -> None:
    execute(
        site.database,
        """INSERT INTO notification (kind, game_id, seq, account_id, dedup_key, status, reason, first_due_at, due_at, settled_at)
        SELECT 'reminder', id, 0, host_id, n, CASE n WHEN 1 THEN 'failed' ELSE 'sent' END,
            CASE n WHEN 1 THEN '550 no such user' END, :now, :now, :now
        FROM game, generate_series(1, 90) AS n""",
        now=NOON,
    )
    html = moderator_of(site).get(urls.moderated_game(game.slug)).text
    section = html.partition('aria-labelledby="emails"')[2]
    listed_part, _, grouped_part = section.partition("<details>")
    assert "550 no such user" in listed_part
    assert '<span class="badge">89</span>' in grouped_part


def test_long_game_shows_its_latest_turns_and_folds_the_earlier_ones(
    site: Site, game: DealtGame
) -> None:
    execute(
        site.database,
        """INSERT INTO turn (game_id, seq, seat, by, events, head, at)
        SELECT id, n, 0, 'player', '', '', :now FROM game, generate_series(1, 30) AS n""",
        now=NOON,
    )
    page = moderator_of(site).page(urls.moderated_game(game.slug))
    text_above, _, text_below = page.text.partition("20 earlier turns")
    assert "Turn 21:" in text_above
    assert "Turn 20:" not in text_above
    assert "Turn 20:" in text_below


def test_email_that_waits_is_tried_at_once_if_a_moderator_asks(site: Site, game: DealtGame) -> None:
    set_turn_email_status(site.database, game.slug, "pending", reason="451 later", at=NOON)
    execute(
        site.database,
        "UPDATE notification SET due_at = :later WHERE kind = 'your-turn'",
        later=NOON + DAY,
    )
    with transaction(site.database) as tx:
        query = "SELECT id FROM notification WHERE kind = 'your-turn'"
        [email_id] = tx.connection.exec_driver_sql(query).scalars()
    perform_act(site.database, game.slug, GameRight.RESEND_EMAIL, email_id=email_id)
    assert "your-turn" in {email.envelope.kind for email in site.deliver_emails()}


def test_turn_whose_clock_began_before_the_events_that_are_read_has_a_story_too(
    site: Site, game: DealtGame
) -> None:
    play_turn(site.database, game.slug, game.guests[0], now=NOON + HOUR)
    execute(site.database, "DELETE FROM deadline_event WHERE kind = 'started'")
    text = moderator_of(site).page(urls.moderated_game(game.slug)).text
    assert "The turn began." in text
    assert "The player played." in text
