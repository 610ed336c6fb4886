"""The page that explains a deadline: every step with its time and cause, the same for everyone at the table."""

import re
from datetime import time, timedelta

from sqlalchemy import update

from tests.play.pages.test_game_end import play_to_end
from tests.support.acts import perform_act
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import ALICE, BOB, CAROL, MALLORY, MO
from tests.support.moderation import make_moderator
from tests.support.page_robot import seeded_random_below, take_turn
from tests.support.statements import recorded_statements
from tests.support.transactions import transaction
from tests.support.visitors import DealtGame, Site, Visitor
from webapp.clock.pace.pace import LateRules, Pace, late_rules_json, pace_json
from webapp.clock.reliability import RELIABILITY_PERIOD
from webapp.kernel import urls
from webapp.kernel.rights import GameRight
from webapp.mail.schema import Notification
from webapp.play.schema import Game
from webapp.privacy.retention import apply_retention

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
PACE = Pace(
    time_per_turn=24 * HOUR,
    bank=12 * HOUR,
    refill=2 * HOUR,
    zone="Europe/Riga",
    weekdays=(0, 1, 2, 3, 4),
    opens=time(8),
    closes=time(22),
)


def deadlines_text(visitor: Visitor, game: DealtGame, seq: int | None = None) -> str:
    path = urls.deadlines(game.slug) if seq is None else urls.deadline(game.slug, seq)
    return visitor.page(path).text


def run_sweep(site: Site) -> None:
    with transaction(site.database) as tx:
        sweep_with_calls_sent(tx, now=site.clock.now, random_below=lambda _count: 0)


def set_email_status(site: Site, status: str) -> None:
    """Let the email about Alice's first turn be in this state, with a reason that only moderators may read."""
    settled_at = None if status == "pending" else site.clock.now
    with transaction(site.database) as tx:
        tx.execute(
            update(Notification)
            .where(Notification.kind == "your-turn", Notification.seq == 0)
            .values(status=status, settled_at=settled_at, reason="550 <bob@example.test> unknown")
        )


def test_deadline_page_shows_every_step_of_the_running_turn(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    site.clock.move(HOUR)
    site.deliver_emails()
    site.clock.move(HOUR)
    perform_act(site.database, game.slug, GameRight.EXTEND, extra=DAY, now=site.clock.now)
    perform_act(site.database, game.slug, GameRight.PAUSE, now=site.clock.now)
    site.clock.move(DAY)
    perform_act(site.database, game.slug, GameRight.RESUME, now=site.clock.now)
    text = deadlines_text(game.visitors[1], game)
    steps = (
        "Alice's turn began. Deadline: Tue 3 Mar",
        "An email about the turn was queued for Alice.",
        "The host or a moderator gave Alice more time. New deadline: Wed 4 Mar",
        "The host or a moderator paused the game, and the clock stopped.",
        "The host or a moderator resumed the game",
    )
    positions = [text.find(step) for step in steps]
    assert positions == sorted(positions), text
    assert -1 not in positions, text


def test_deadline_page_shows_reminder_and_missed_turn(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    site.clock.move(20 * HOUR)
    run_sweep(site)
    site.clock.move(5 * HOUR)
    run_sweep(site)
    text = deadlines_text(game.visitors[2], game)
    assert "The running turn: Bob" in text
    assert "Alice, Mon 2 Mar" in text
    assert "time ran out" in text
    alice_text = deadlines_text(game.visitors[2], game, 0)
    assert "It was time to remind Alice, and a reminder was queued." in alice_text
    assert "Time ran out, so the clock played for Alice." in alice_text
    assert alice_text.count("The clock discards a random card face down") == 1


def test_missed_turn_in_the_history_links_to_its_deadline(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    site.clock.move(25 * HOUR)
    run_sweep(site)
    links = game.visitors[1].page(urls.history(game.slug)).links
    [path] = [link.href for link in links if link.text == "Why?"]
    assert "An earlier turn: Alice" in game.visitors[1].page(path).text


def test_table_page_links_to_the_deadline(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    for visitor in game.visitors:
        links = [link.href for link in visitor.page(urls.game(game.slug)).links]
        assert urls.deadlines(game.slug) in links


def test_deadline_page_explains_bank_and_playing_hours_in_both_zones(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0, pace=PACE)
    text = deadlines_text(game.visitors[1], game)
    assert (
        "1 day for the turn + 12 hours from the time bank, counted Monday to Friday "
        "08:00–22:00 (Europe/Riga time)."  # noqa: RUF001
    ) in text
    assert "– at the table" in deadlines_text(game.visitors[2], game)  # noqa: RUF001


def test_deadline_page_is_the_same_whatever_became_of_the_emails_of_the_running_turn(
    site: Site,
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    site.clock.move(HOUR)
    waiting_text = deadlines_text(game.visitors[1], game)
    assert "An email about the turn was queued for Alice." in waiting_text
    for status in ("sent", "failed", "dropped"):
        set_email_status(site, status)
        assert deadlines_text(game.visitors[1], game) == waiting_text


def test_deadline_page_of_a_running_turn_does_not_show_when_its_player_is_reminded(
    site: Site,
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    site.clock.move(20 * HOUR)
    text = deadlines_text(game.visitors[1], game)
    run_sweep(site)
    assert deadlines_text(game.visitors[1], game) == text


def test_email_that_its_player_does_not_want_looks_like_one_that_was_superseded(
    site: Site,
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    site.clock.move(HOUR)
    set_email_status(site, "dropped")
    site.clock.move(HOUR)
    take_turn(game.visitors[0], game.slug, seeded_random_below("superseded"))
    unwanted_text = deadlines_text(game.visitors[1], game, 0)
    assert "No email about the turn was sent, because none was needed or wanted." in unwanted_text
    site.clock.move(HOUR)
    set_email_status(site, "dropped")
    assert deadlines_text(game.visitors[1], game, 0) == unwanted_text
    set_email_status(site, "pending")
    assert deadlines_text(game.visitors[1], game, 0) == unwanted_text


def test_page_of_a_turn_that_is_over_shows_that_its_email_was_sent_or_failed(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    site.clock.move(HOUR)
    set_email_status(site, "sent")
    take_turn(game.visitors[0], game.slug, seeded_random_below("sent"))
    text = deadlines_text(game.visitors[1], game, 0)
    assert "The email about the turn was sent, and the mail server accepted it." in text
    set_email_status(site, "failed")
    text = deadlines_text(game.visitors[1], game, 0)
    assert "The email about the turn couldn't be delivered." in text
    assert "example.test" not in text
    assert "550" not in text


def test_deadline_page_is_the_same_for_every_seat(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    for visitor in game.visitors:
        visitor.post(urls.profile(), name="Same", language="en", zone="Europe/Riga")
    site.clock.move(20 * HOUR)
    run_sweep(site)
    main_sections = {
        main_of(visitor.get(path).text)
        for path in (urls.deadlines(game.slug),)
        for visitor in game.visitors
    }
    assert len(main_sections) == 1


def main_of(html: str) -> str:
    """Return the content of a page without what surrounds it on every page."""
    found = re.search(r"<main.*</main>", html, re.DOTALL)
    assert found is not None
    return found.group()


def test_onlookers_learn_nothing_of_emails_and_absences(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0, public=True)
    site.deliver_emails()
    for onlooker in (site.signed_out(), site.signed_in(MALLORY)):
        text = deadlines_text(onlooker, game)
        assert "Alice's turn began" in text
        assert "email about the turn" not in text
    assert "email about the turn" in deadlines_text(game.visitors[2], game)


def test_only_people_at_the_table_learn_that_an_absence_moved_the_deadline(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0, public=True)
    rules = late_rules_json(LateRules(absence="stop", absence_cap=14 * DAY))
    with transaction(site.database) as tx:
        tx.execute(update(Game).values(late_rules=rules))
    site.clock.move(HOUR)
    game.visitors[0].post(urls.start_holiday(), **{"now-last_day": "2026-03-04"})
    sentence = "Alice changed when they are away, and the clock stops for that time."
    assert sentence in deadlines_text(game.visitors[1], game)
    onlooker_text = deadlines_text(site.signed_out(), game)
    assert "away" not in onlooker_text
    assert "The deadline moved by the rules of this table." in onlooker_text


def test_only_people_at_the_table_learn_that_an_absence_stops_the_clock(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0, public=True)
    rules = late_rules_json(LateRules(absence="stop", absence_cap=14 * DAY))
    with transaction(site.database) as tx:
        tx.execute(update(Game).values(late_rules=rules))
    game.visitors[1].post(urls.start_holiday(), **{"now-last_day": "2026-03-04"})
    take_turn(game.visitors[0], game.slug, seeded_random_below("first"))
    sentence = "without times for which the table's rules stop the clock"
    assert sentence in deadlines_text(game.visitors[2], game)
    assert sentence not in deadlines_text(site.signed_out(), game)


def test_moderators_read_the_deadline_page_of_a_private_game_and_strangers_do_not(
    site: Site,
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    moderator = site.signed_in(MO)
    paths = (urls.deadlines(game.slug), urls.deadline(game.slug, 0))
    assert [moderator.get(path).status_code for path in paths] == [404, 404]
    make_moderator(site.database, MO)
    assert "email about the turn" in deadlines_text(moderator, game)
    assert "Alice's turn began" in deadlines_text(moderator, game, 0)
    assert [site.signed_in(MALLORY).get(path).status_code for path in paths] == [404, 404]
    assert [site.signed_out().get(path).status_code for path in paths] == [401, 401]


def test_turns_that_were_not_taken_have_no_deadline_page(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    for seq in (1, 999, 10**30):
        assert game.visitors[0].get(urls.deadline(game.slug, seq)).status_code == 404


def test_deadline_page_of_a_finished_game_shows_earlier_turns_only(site: Site) -> None:
    game = site.dealt_game(ALICE, seats=3)
    play_to_end(site, game)
    text = deadlines_text(game.visitors[0], game)
    assert "The game is over, so no deadline is running." in text
    assert "in time" in text
    assert "The running turn" not in text


def texts_before_and_after_retention(site: Site, game: DealtGame) -> tuple[list[str], list[str]]:
    """Return the page of all deadlines and that of the first turn, long after the last one and before and after old data is deleted."""
    site.clock.move(RELIABILITY_PERIOD + DAY)
    alice = site.signed_in(ALICE)
    texts: list[list[str]] = []
    for _ in range(2):
        texts.append([deadlines_text(alice, game, seq) for seq in (None, 0)])
        with transaction(site.database, site.clock.now) as tx:
            apply_retention(tx)
    return texts[0], texts[1]


def test_deadlines_are_deleted_long_after_the_end_of_their_game(site: Site) -> None:
    game = site.dealt_game(ALICE, seats=3)
    play_to_end(site, game)
    before, [all_deadlines, first_turn] = texts_before_and_after_retention(site, game)
    assert "in time" in before[0]
    assert "they are deleted 180 days after its end" in all_deadlines
    assert "No deadline of this turn is kept" in first_turn


def test_deadlines_of_a_running_game_are_kept(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    before, after = texts_before_and_after_retention(site, game)
    assert after == before


def test_game_of_bots_and_one_person_explains_that_bots_have_no_deadline(site: Site) -> None:
    game = site.dealt_game(ALICE, seats=3, starter=1)
    text = deadlines_text(game.visitors[0], game)
    assert "No deadline is running: a bot is about to play." in text
    assert "No turn with a deadline is over yet." in text
    assert "This turn had no deadline" in deadlines_text(game.visitors[0], game, 0)


def test_deadline_page_takes_the_same_statements_for_games_of_any_length(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    statement_counts = []
    for _ in range(2):
        with recorded_statements(site.database) as statements:
            game.visitors[0].get(urls.deadlines(game.slug))
        statement_counts.append(len(statements))
        random_below = seeded_random_below("deadlines")
        for turn in range(6):
            take_turn(game.visitors[turn % 3], game.slug, random_below)
    assert statement_counts == [4, 4]


def test_pace_without_bank_is_shown_as_the_time_per_turn(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    with transaction(site.database) as tx:
        pace_without_bank = Pace(time_per_turn=DAY)
        tx.execute(update(Game).values(pace=pace_json(pace_without_bank)))
    assert "1 day for the turn." in deadlines_text(game.visitors[0], game)


def test_turn_that_was_taken_back_says_so(site: Site) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL, starter=0)
    site.clock.move(25 * HOUR)
    run_sweep(site)
    perform_act(site.database, game.slug, GameRight.REWIND, turn=0, now=site.clock.now)
    assert "taken back" in deadlines_text(game.visitors[1], game)
    sentence = "so this turn and what it cost no longer count."
    assert sentence in deadlines_text(game.visitors[1], game, 0)
