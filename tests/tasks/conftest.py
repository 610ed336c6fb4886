from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import Guest, deal_game, in_scene, sign_in_guests
from tests.support.fakes import FakeClock, Outbox
from tests.support.redis import running_redis
from tests.support.smtp_sink import sink
from tests.support.worker_fixtures import composer, recording_transport, worker
from webapp.kernel.tx import Database

__all__ = ["composer", "recording_transport", "sink", "worker"]


@pytest.fixture
def outbox(database: Database) -> Outbox:
    return Outbox(database)


@pytest.fixture
def guests(database: Database, outbox: Outbox) -> list[Guest]:
    """Alice, Bob and Carol, signed in, with an empty outbox."""

    def sign_in() -> list[Guest]:
        signed_in_guests = sign_in_guests(database, ALICE, BOB, CAROL)
        outbox.clear()
        return signed_in_guests

    return [*in_scene(database, "three guests without emails", sign_in)]


@pytest.fixture
def slug(database: Database, guests: list[Guest], outbox: Outbox) -> str:
    """A game of the three, just dealt; Alice starts. Four emails are pending: three about the deal, one for Alice's turn."""

    def deal() -> str:
        dealt = deal_game(database, guests)
        outbox.execute("DELETE FROM notification WHERE kind = 'ready-check'")
        # As if her turn had begun again: the email about the deal waits for the first one.
        outbox.execute("UPDATE notification SET dedup_key = 1 WHERE kind = 'your-turn'")
        return dealt

    return in_scene(database, "a game with four emails", deal)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A Redis of this test alone."""
    with running_redis(tmp_path) as url:
        yield url
