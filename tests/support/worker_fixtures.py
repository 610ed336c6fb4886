"""Pytest fixtures: a worker that composes emails and hands them to a recording transport."""

from datetime import timedelta

import pytest

from tasks.context import WorkerContext
from tests.support.deciders import InProcessDecider
from tests.support.fakes import FakeClock, RecordingTransport, drawn_as_digest
from tests.support.transactions import KEYS, pick_first
from webapp.kernel.tx import Database
from webapp.mail.compose import Composer


@pytest.fixture
def recording_transport() -> RecordingTransport:
    return RecordingTransport()


@pytest.fixture(scope="session")
def composer() -> Composer:
    """Return one composer for all tests, because compiling the templates takes long."""
    return Composer(
        base_url="https://lodepost.test",
        mail_from="lodepost@lodepost.test",
    )


@pytest.fixture
def worker(
    database: Database,
    clock: FakeClock,
    recording_transport: RecordingTransport,
    composer: Composer,
) -> WorkerContext:
    return WorkerContext(
        database=database,
        keys=KEYS,
        composer=composer,
        png_of=drawn_as_digest,
        transport=recording_transport,
        mail_from="lodepost@lodepost.test",
        now=clock,
        database_time=lambda _: clock(),
        random_below=pick_first,
        is_stopping=lambda: False,
        nudge=lambda _: None,
        email_wait=timedelta(),
        pause=clock.pause,
        decider=InProcessDecider(pick_first),
    )
