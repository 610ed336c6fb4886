"""Letters of a whole game through a relay as operators run one: all of them, once, and byte for byte."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from tasks import delivery
from tasks.context import WorkerContext
from tests.support.factories import Guest
from tests.support.fakes import Outbox, Passing, read
from tests.support.postfix import Relay, running_relay
from tests.support.smtp_sink import Sink, running_sink
from tests.tasks.test_celery import eventually
from tests.tasks.test_through_a_relay import whole_game
from webapp.mail.parcel import RenderedEmail
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.services.tx import Database


@pytest.fixture
def sink() -> Iterator[Sink]:
    with running_sink() as running:
        yield running


@pytest.fixture
def relay(sink: Sink) -> Iterator[Relay]:
    with running_relay(sink.port) as running:
        yield running


class Noting:
    """The way to the relay; keeps what it took."""

    def __init__(self, transport: SmtpTransport) -> None:
        self._transport = transport
        self.parcels: list[RenderedEmail] = []

    def send(self, parcel: RenderedEmail) -> None:
        self._transport.send(parcel)
        self.parcels.append(parcel)

    def close(self) -> None:
        self._transport.close()


@pytest.fixture
def noting(relay: Relay, clock: Passing) -> Iterator[Noting]:
    place = relay_at(f"smtp://127.0.0.1:{relay.port}")
    with closing(SmtpTransport(place, clock=lambda: clock().timestamp())) as transport:
        yield Noting(transport)


@pytest.fixture
def relayed(context: WorkerContext, noting: Noting) -> WorkerContext:
    """The shop with a connection to the relay."""
    return replace(context, transport=noting)


def lines_of(message: bytes) -> bytes:
    return b"\n".join(message.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n"))


def test_every_letter_of_a_game_arrives_once_and_as_it_was_written(
    relayed: WorkerContext,
    database: Database,
    guests: list[Guest],
    clock: Passing,
    noting: Noting,
    sink: Sink,
) -> None:
    # Halfway the world does not take mails for a while; the relay keeps them and tries again.
    sink.answers["DATA"] = ["451 4.3.0 not now"] * 5
    whole_game(relayed, database, guests, clock)
    assert len(noting.parcels) > 20
    eventually(lambda: len(sink.taken) >= len(noting.parcels))
    arrived = {str(read(taken.message)["Message-ID"]): taken for taken in sink.taken}
    assert len(arrived) == len(sink.taken) == len(noting.parcels)
    for parcel in noting.parcels:
        taken = arrived[str(read(parcel.message)["Message-ID"])]
        assert taken.recipients == (parcel.recipient,)
        # A relay puts its own lines above ours, and touches none of them.
        assert lines_of(taken.message).endswith(lines_of(parcel.message))


def test_letters_wait_while_the_relay_is_away_and_follow_when_it_is_back(
    relayed: WorkerContext,
    slug: str,
    clock: Passing,
    outbox: Outbox,
    relay: Relay,
    sink: Sink,
) -> None:
    relay.stop()
    for _ in range(2):
        delivery.deliver(relayed)
    assert outbox.statuses() == {"owed"}
    relay.start()
    clock.now += timedelta(hours=1)
    delivery.deliver(relayed)
    assert outbox.statuses() == {"sent"}
    eventually(lambda: len(sink.taken) == len(outbox.rows()))
