"""What must be so whenever it is looked at: two web processes, two workers, one clock, the system's Postgres, a real Redis."""

import operator
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import NamedTuple

import pytest

from tasks import deadlines
from tasks.context import WorkerContext, worker_context_for
from tests.chaos.browser import Answer, Browser, Unwelcome
from tests.chaos.inbox import Letterbox, message_ids
from tests.chaos.installation import Installation, until_true
from tests.chaos.notes import Notes
from tests.chaos.part import Part
from tests.chaos.players import Player, seated
from tests.support.html import Form
from tests.support.page_robot import NotAwaited, chance, decide
from tests.support.smtp_sink import HANG
from webapp.config import settings_from

_PRESSES = 8
_ROUNDS = 15


@pytest.fixture(scope="module")
def people(here: Installation) -> list[Player]:
    """Three people who are signed in and meet at one table."""
    notes = Notes()
    players = seated(
        lambda: Browser(here.addresses, notes), notes, tables=1, chance=chance, stopped=Event()
    )
    for player in players:
        player.sign_in(Letterbox(here.relay))
    return players


@pytest.fixture
def context(here: Installation) -> Iterator[WorkerContext]:
    """The means of one more worker, in this process."""
    settings = settings_from(here.workers[0].environ)
    opened = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
    yield opened
    opened.close()


def next_turn(people: list[Player]) -> tuple[Player, Form]:
    """Whoever is on turn, with a turn decided on; they sit down first, and begin anew after the end of a game."""
    found: list[tuple[Player, Form]] = []

    def has_come() -> bool:
        for player in people:
            try:
                form = decide(player.browser, player.table.slug, player.pick)
            except (NotAwaited, Unwelcome):
                player.go_on()
            else:
                found.append((player, form))
                return True
        return False

    until_true(has_come)
    return found[0]


def logged(here: Installation, slug: str, seq: int) -> list[str]:
    """By whom the turn after this one was taken: nobody, or one."""
    rows = here.ask(
        "SELECT by FROM turn JOIN game ON game.id = game_id WHERE slug = %s AND turn.seq = %s",
        slug,
        seq + 1,
    )
    return [row[0] for row in rows]


def seq_of(form: Form) -> int:
    return int(form.fields["seq"])


def test_of_eight_presses_at_once_one_wins_and_seven_are_told(
    here: Installation, people: list[Player]
) -> None:
    player, form = next_turn(people)
    together = Barrier(_PRESSES)

    def press(window: Browser) -> Answer:
        together.wait()
        return window.send(form)

    with ThreadPoolExecutor(_PRESSES) as hands:
        answers = list(hands.map(press, player.browser.windows(_PRESSES)))
    assert Counter(answer.status for answer in answers) == {303: 1, 409: 7}
    told = [answer.text for answer in answers if answer.status == 409]
    assert all("Nothing was done twice" in text for text in told)
    assert logged(here, player.table.slug, seq_of(form)) == ["player"]


def test_a_player_who_races_the_clock_wins_or_is_told_every_time(
    here: Installation, people: list[Player], context: WorkerContext
) -> None:
    with ThreadPoolExecutor(1) as hand:
        for number in range(_ROUNDS):
            player, form = next_turn(people)
            here.ask(_TIME_IS_UP, player.table.slug)
            pressed = hand.submit(player.browser.send, form)
            # Now the one is earlier, now the other.
            time.sleep(number / 1000)
            deadlines.sweep(context)
            winner = {303: "player", 409: "clock"}[pressed.result().status]
            assert logged(here, player.table.slug, seq_of(form)) == [winner]


_TIME_IS_UP = """
UPDATE game SET deadline_at = now(), wake_at = now() WHERE slug = %s AND status = 'running'
"""


class Called(NamedTuple):
    """A letter that a turn owes."""

    id: int
    status: str
    message_id: str | None


def letters_of(here: Installation, slug: str, seq: int) -> list[Called]:
    """The letters that the turn after this one owes."""
    rows = here.ask(
        "SELECT notification.id, notification.status, message_id FROM notification"
        " JOIN game ON game.id = notification.game_id"
        " WHERE slug = %s AND notification.seq > %s ORDER BY notification.id",
        slug,
        seq,
    )
    return [Called(*row) for row in rows]


def call_somebody(here: Installation, people: list[Player]) -> list[Called]:
    """Take turns until one calls the next player: a choice within a turn calls nobody."""
    while True:
        player, form = next_turn(people)
        assert player.browser.send(form).status == 303
        letters = letters_of(here, player.table.slug, seq_of(form))
        if letters:
            return letters


def see_letters_go(here: Installation, letters: list[Called]) -> None:
    ids = [letter.id for letter in letters]
    query = "SELECT id, status, message_id FROM notification WHERE id = ANY(%s)"
    until_true(lambda: {row[1] for row in here.ask(query, ids)} == {"sent"})
    accepted = message_ids(list(here.relay.taken))
    assert all(row[2] in accepted for row in here.ask(query, ids))


def test_letters_go_although_redis_forgot_the_nudge(
    here: Installation, people: list[Player]
) -> None:
    rest = [*here.workers, here.beat]
    for part in rest:
        part.stop()
    here.queue().flushall()
    letters = call_somebody(here, people)
    until_true(lambda: here.queue().llen("lodepost") > 0)
    here.queue().flushall()
    assert {letter.status for letter in letters} == {"owed"}
    for part in rest:
        part.start()
    see_letters_go(here, letters)


def test_without_redis_turns_go_on_and_letters_follow_its_return(
    here: Installation, people: list[Player]
) -> None:
    here.broker.kill()
    letters = call_somebody(here, people)
    here.bring_redis_back()
    see_letters_go(here, letters)


def test_workers_at_work_outlive_redis(here: Installation, people: list[Player]) -> None:
    here.relay.answers["DATA"] = HANG
    letters = call_somebody(here, people)
    ids = [letter.id for letter in letters]
    at_work = "SELECT bool_and(lease_until IS NOT NULL) FROM notification WHERE id = ANY(%s)"
    until_true(lambda: here.ask(at_work, ids) == [(True,)])
    missed = [misses_of(worker) for worker in here.workers]
    here.broker.kill()
    until_true(lambda: all(map(operator.gt, map(misses_of, here.workers), missed)))
    here.relay.answers.clear()
    here.bring_redis_back()
    see_letters_go(here, letters)
    assert [worker.name for worker in here.workers if not worker.runs()] == []


def misses_of(worker: Part) -> int:
    """How often the worker found no broker, or ended over it."""
    log = worker.log.read_bytes()
    return log.count(b"Cannot connect to") + log.count(b"Unrecoverable")
