"""Workers are nudged after a commit, and a broker that fails or hangs disturbs no page."""

import threading
from queue import SimpleQueue

import pytest

from tests.support.cast import ALICE
from tests.support.compiled_templates import create_app
from tests.support.factories import sign_in_guest
from tests.support.fakes import FakeClock
from tests.support.transactions import random_bytes_source_for
from tests.support.visitors import Site, settings_for
from webapp.kernel import urls
from webapp.kernel.nudges import Nudger
from webapp.kernel.tx import Database

WAIT_SECONDS = 120
"""Seconds after which what a test waits for will not happen, however slow the machine is."""


class FakeBroker:
    """Records what is sent in place of `send_task`."""

    def __init__(self) -> None:
        self.sent_nudges: SimpleQueue[str] = SimpleQueue()

    def __call__(self, name: str) -> None:
        self.sent_nudges.put(name)

    def next_nudge(self) -> str:
        return self.sent_nudges.get(timeout=WAIT_SECONDS)


class HeldPauses:
    """Takes the place of `time.sleep`: each pause lasts until the test ends it."""

    def __init__(self) -> None:
        self._begun_pauses: SimpleQueue[float] = SimpleQueue()
        self._ended_pauses: SimpleQueue[None] = SimpleQueue()

    def __call__(self, seconds: float) -> None:
        self._begun_pauses.put(seconds)
        self._ended_pauses.get()

    def wait_for_next(self) -> None:
        self._begun_pauses.get(timeout=WAIT_SECONDS)

    def end(self) -> None:
        self._ended_pauses.put(None)


def nudging_threads() -> set[int | None]:
    return {thread.ident for thread in threading.enumerate() if thread.name == "nudges"}


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


def test_reading_pages_sends_no_nudge(nudged_site: Site) -> None:
    earlier_threads = nudging_threads()
    visitor = nudged_site.signed_out()
    for path in (urls.home(), urls.sign_in(), urls.rules()):
        visitor.get(path)
    assert nudging_threads() == earlier_threads


def test_refused_form_sends_no_nudge(nudged_site: Site) -> None:
    earlier_threads = nudging_threads()
    nudged_site.signed_out().post(urls.sign_in(), address="invalid")
    assert nudging_threads() == earlier_threads


def test_next_nudge_is_sent_after_a_failure() -> None:
    sent_tasks: SimpleQueue[str] = SimpleQueue()

    def fail(name: str) -> None:
        sent_tasks.put(name)
        raise ConnectionError

    nudge = Nudger(fail)
    for _ in range(3):
        nudge({"emails"})
        assert sent_tasks.get(timeout=WAIT_SECONDS) == "tasks.delivery.deliver"


def test_equal_nudges_close_together_are_sent_once_and_none_is_lost(broker: FakeBroker) -> None:
    pauses = HeldPauses()
    nudge = Nudger(broker, pause=pauses)
    for _ in range(2):
        nudge({"emails"})
        # The thread waits for more nudges.
        pauses.wait_for_next()
        for _ in range(100):
            nudge({"emails", "bots"})
        assert broker.sent_nudges.empty()
        pauses.end()
        assert [broker.next_nudge(), broker.next_nudge()] == [
            "tasks.bot_turns.play_bots",
            "tasks.delivery.deliver",
        ]
        # The thread pauses before it looks for nudges again.
        pauses.wait_for_next()
        nudge({"bots"})
        assert broker.sent_nudges.empty()
        pauses.end()


def test_hanging_broker_delays_no_caller() -> None:
    is_hanging, may_continue = threading.Event(), threading.Event()
    ended_calls: list[str] = []

    def hang(name: str) -> None:
        is_hanging.set()
        may_continue.wait(WAIT_SECONDS)
        ended_calls.append(name)

    nudge = Nudger(hang)
    nudge({"emails"})
    assert is_hanging.wait(WAIT_SECONDS)
    for _ in range(100):
        nudge({"emails", "bots"})
    assert ended_calls == []
    may_continue.set()


def test_thread_starts_with_the_first_nudge() -> None:
    earlier_threads = nudging_threads()
    nudge = Nudger(lambda _: None)
    nudge(set())
    assert nudging_threads() == earlier_threads
    nudge({"emails"})
    assert len(nudging_threads() - earlier_threads) == 1
