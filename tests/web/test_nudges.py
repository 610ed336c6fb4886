"""Workers are nudged after a commit, and a broker that fails or hangs disturbs no page."""

import threading
import time
from queue import SimpleQueue

import pytest

from tests.support.cast import ALICE
from tests.support.compiled_templates import create_app
from tests.support.factories import random_bytes_source_for, sign_in_guest
from tests.support.fakes import FakeClock
from tests.support.visitors import Site, settings_for
from webapp import urls
from webapp.services.tx import Database
from webapp.web.nudges import Nudger


class FakeBroker:
    """Records what is sent in place of `send_task`."""

    def __init__(self) -> None:
        self.sent_nudges: SimpleQueue[str] = SimpleQueue()

    def __call__(self, name: str) -> None:
        self.sent_nudges.put(name)

    def next_nudge(self) -> str:
        return self.sent_nudges.get(timeout=5)


@pytest.fixture
def broker() -> FakeBroker:
    return FakeBroker()


@pytest.fixture
def nudged_site(
    database: Database, database_url: str, clock: FakeClock, broker: FakeBroker
) -> Site:
    settings = settings_for(database_url)
    app = create_app(
        settings,
        database=database,
        now=clock,
        tokens=random_bytes_source_for(database),
        send_task=broker,
    )
    return Site(app, database, clock)


def test_sign_in_request_nudges_delivery(nudged_site: Site, broker: FakeBroker) -> None:
    nudged_site.signed_out().post(urls.sign_in(), address=ALICE.address)
    assert broker.next_nudge() == "tasks.delivery.deliver"


def test_game_against_bots_nudges_the_bots(nudged_site: Site, broker: FakeBroker) -> None:
    guest = sign_in_guest(nudged_site.database, ALICE)
    nudged_site.signed_out().with_session(guest.cookie).post(urls.bot_game())
    sent_names = {broker.next_nudge(), broker.next_nudge()}
    assert sent_names == {"tasks.delivery.deliver", "tasks.bot_turns.play_bots"}


def test_reading_pages_sends_no_nudge(nudged_site: Site, broker: FakeBroker) -> None:
    visitor = nudged_site.signed_out()
    for path in (urls.home(), urls.sign_in(), urls.rules()):
        visitor.get(path)
    assert broker.sent_nudges.empty()


def test_refused_form_sends_no_nudge(nudged_site: Site, broker: FakeBroker) -> None:
    nudged_site.signed_out().post(urls.sign_in(), address="invalid")
    assert broker.sent_nudges.empty()


def test_next_nudge_is_sent_after_a_failure() -> None:
    sent_tasks: SimpleQueue[str] = SimpleQueue()

    def fail(name: str) -> None:
        sent_tasks.put(name)
        raise ConnectionError

    nudge = Nudger(fail)
    for _ in range(3):
        nudge({"emails"})
        assert sent_tasks.get(timeout=5) == "tasks.delivery.deliver"


def test_equal_nudges_close_together_are_sent_once_and_none_is_lost(broker: FakeBroker) -> None:
    nudge = Nudger(broker)
    for _ in range(500):
        nudge({"emails"})
    sent_nudges = []
    for _ in range(2):
        nudge({"bots"})
        while (name := broker.next_nudge()) != "tasks.bot_turns.play_bots":
            sent_nudges.append(name)
    assert len(sent_nudges) < 50


def test_hanging_broker_delays_no_caller() -> None:
    may_continue = threading.Event()
    nudge = Nudger(lambda _: may_continue.wait(10))
    began_at = time.monotonic()
    for _ in range(100):
        nudge({"emails", "bots"})
    assert time.monotonic() - began_at < 1
    may_continue.set()


def test_thread_starts_with_the_first_nudge() -> None:
    earlier_thread_count = threading.active_count()
    Nudger(print)(set())
    assert threading.active_count() == earlier_thread_count
