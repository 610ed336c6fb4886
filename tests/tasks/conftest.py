from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.factories import KEYS, Guest, deal, first, sign_in_all
from tests.support.fakes import Outbox, Passing, Recording
from tests.support.redis import running_redis
from webapp.mail.compose import Composer
from webapp.services.tx import Database


@pytest.fixture
def outbox(database: Database) -> Outbox:
    return Outbox(database)


@pytest.fixture
def guests(database: Database, outbox: Outbox) -> list[Guest]:
    """Alice, Bob and Carol, signed in; their letters about that are done with."""
    signed_in = sign_in_all(database, ALICE, BOB, CAROL)
    outbox.empty()
    return signed_in


@pytest.fixture
def slug(database: Database, guests: list[Guest], outbox: Outbox) -> str:
    """A game of the three, just dealt; Alice starts. It owes four letters: three of the deal, and Alice's turn."""
    dealt = deal(database, guests)
    outbox.say("DELETE FROM notification WHERE kind = 'ready-check'")
    return dealt


@pytest.fixture
def clock() -> Passing:
    return Passing()


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A Redis of this test alone."""
    with running_redis(tmp_path) as url:
        yield url


@pytest.fixture
def recording() -> Recording:
    return Recording()


@pytest.fixture(scope="session")
def composer() -> Composer:
    """One for all tests, for it compiles every letter and remembers none."""
    return Composer(base_url="https://lodepost.test", mail_from="lodepost@lodepost.test")


@pytest.fixture
def context(
    database: Database, clock: Passing, recording: Recording, composer: Composer
) -> WorkerContext:
    return WorkerContext(
        database=database,
        keys=KEYS,
        composer=composer,
        transport=recording,
        mail_from="lodepost@lodepost.test",
        now=clock,
        pick=first,
        is_stopping=lambda: False,
        nudge=lambda _: None,
        pause=clock.pause,
    )
