"""After a commit the worker is told at once, and a broker that fails or hangs is nobody's problem."""

import threading
import time
from queue import SimpleQueue

import pytest

from tests.support.cast import ALICE
from tests.support.compiled_templates import create_app
from tests.support.factories import rng_for, sign_in_guest
from tests.support.fakes import FakeClock
from tests.support.visitors import Site, settings_for
from webapp import urls
from webapp.services.tx import Database
from webapp.web.nudges import Nudger


class Broker:
    """What `send_task` of a Celery does, written down."""

    def __init__(self) -> None:
        self.sent: SimpleQueue[str] = SimpleQueue()

    def __call__(self, name: str) -> None:
        self.sent.put(name)

    def next(self) -> str:
        return self.sent.get(timeout=5)


@pytest.fixture
def broker() -> Broker:
    return Broker()


@pytest.fixture
def nudged_site(database: Database, database_url: str, clock: FakeClock, broker: Broker) -> Site:
    settings = settings_for(database_url)
    app = create_app(
        settings, database=database, now=clock, tokens=rng_for(database), send_task=broker
    )
    return Site(app, database, clock)


def test_whoever_asks_for_a_letter_has_the_post_called(nudged_site: Site, broker: Broker) -> None:
    nudged_site.signed_out().post(urls.sign_in(), address=ALICE.address)
    assert broker.next() == "tasks.delivery.deliver"


def test_a_game_against_bots_calls_the_bots(nudged_site: Site, broker: Broker) -> None:
    guest = sign_in_guest(nudged_site.database, ALICE)
    nudged_site.signed_out().with_session(guest.cookie).post(urls.bot_game())
    called = {broker.next(), broker.next()}
    assert called == {"tasks.delivery.deliver", "tasks.turns.play_bots"}


def test_looking_calls_nobody(nudged_site: Site, broker: Broker) -> None:
    visitor = nudged_site.signed_out()
    for path in (urls.home(), urls.sign_in(), urls.rules()):
        visitor.get(path)
    assert broker.sent.empty()


def test_a_refused_form_calls_nobody(nudged_site: Site, broker: Broker) -> None:
    nudged_site.signed_out().post(urls.sign_in(), address="nobody")
    assert broker.sent.empty()


def test_a_broker_that_fails_is_asked_again_the_next_time() -> None:
    asked: SimpleQueue[str] = SimpleQueue()

    def fail(name: str) -> None:
        asked.put(name)
        raise ConnectionError

    nudge = Nudger(fail)
    for _ in range(3):
        nudge({"emails"})
        assert asked.get(timeout=5) == "tasks.delivery.deliver"


def test_nudges_that_come_close_together_go_as_one_and_none_is_forgotten(broker: Broker) -> None:
    nudge = Nudger(broker)
    for _ in range(500):
        nudge({"emails"})
    sent = []
    for _ in range(2):
        nudge({"bots"})
        while (name := broker.next()) != "tasks.turns.play_bots":
            sent.append(name)
    assert len(sent) < 50


def test_a_broker_that_hangs_holds_up_nobody() -> None:
    let_go = threading.Event()
    nudge = Nudger(lambda _: let_go.wait(10))
    began = time.monotonic()
    for _ in range(100):
        nudge({"emails", "bots"})
    assert time.monotonic() - began < 1
    let_go.set()


def test_no_thread_is_started_before_there_is_something_to_say() -> None:
    before = threading.active_count()
    Nudger(print)(set())
    assert threading.active_count() == before
