"""Letters of whole games, from the row in the outbox through a real relay to the parser of a mail program."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from engine.rulebook import HouseRules
from tasks import deadlines, delivery
from tasks.context import WorkerContext
from tests.support.cast import ALICE, DAVE
from tests.support.email_contexts import KINDS
from tests.support.factories import Guest, ask, deal, look, open_table, play, wish
from tests.support.fakes import Outbox, Passing, Recording, kind_of, read
from tests.support.smtp_sink import Sink, running_sink
from webapp.mail.maildir import MaildirTransport
from webapp.mail.relay import relay_at
from webapp.mail.smtp import SmtpTransport
from webapp.pages.notifications.filed_emails import EmailFolder
from webapp.services.keys import TokenSource
from webapp.services.lobby import invitations
from webapp.services.notifications.unsubscribe import unsubscribe, unsubscribe_page
from webapp.services.play import access
from webapp.services.tx import Database, transaction


@pytest.fixture
def sink() -> Iterator[Sink]:
    with running_sink() as running:
        yield running


@pytest.fixture
def relayed(context: WorkerContext, sink: Sink) -> Iterator[WorkerContext]:
    """The shop with a connection to a real relay."""
    with closing(SmtpTransport(relay_at(f"smtp://127.0.0.1:{sink.port}"))) as transport:
        yield replace(context, transport=transport)


def whole_game(
    context: WorkerContext, database: Database, guests: list[Guest], clock: Passing
) -> str:
    """Two rounds in which everybody discards, the post being delivered after every turn."""
    slug = open_table(database, guests[0], wish(house=HouseRules(rounds=2)))
    invite(database, slug, guests[0])
    delivery.deliver(context)
    slug = deal(database, guests, wish(house=HouseRules(rounds=2)))
    delivery.deliver(context)
    remind(context, clock)
    while (awaiting := look(database, slug, guests[0]).row.awaiting) is not None:
        play(database, slug, guests[awaiting], now=clock())
        delivery.deliver(context)
    return slug


def invite(database: Database, slug: str, host: Guest) -> None:
    from tests.support.factories import KEYS, NOON, counted_tokens

    with transaction(database) as tx:
        ask(tx, DAVE)
        game = access.game_for(tx, slug, host.person, now=NOON, mode="change").game
        invitations.invite(
            tx,
            game,
            host.person,
            address=DAVE.address,
            source=TokenSource(KEYS, counted_tokens()),
            now=NOON,
        )


def remind(context: WorkerContext, clock: Passing) -> None:
    clock.now += timedelta(hours=20)
    deadlines.sweep(context)
    delivery.deliver(context)


def test_every_kind_of_letter_comes_through_whole(
    relayed: WorkerContext,
    database: Database,
    guests: list[Guest],
    sink: Sink,
    clock: Passing,
    outbox: Outbox,
) -> None:
    slug = whole_game(relayed, database, guests, clock)
    kinds = {kind_of(taken.message) for taken in sink.taken}
    assert kinds >= {*KINDS} - {"ready-check"}
    assert len({taken.peer for taken in sink.taken}) == 1, "one connection for the whole game"
    for taken in sink.taken:
        assert_whole(taken.read(), taken.recipients)
    threads = {
        (message["References"], message["Subject"])
        for message in (taken.read() for taken in sink.taken)
        if message["List-Id"] == f"<{slug}.lodepost.test>"
    }
    assert len(threads) == 1
    assert outbox.statuses() <= {"sent", "dropped"}


def assert_whole(message: EmailMessage, recipients: tuple[str, ...]) -> None:
    assert message.defects == []
    assert [part.get_content_type() for part in message.iter_parts()] == [
        "text/plain",
        "text/html",
    ]
    for part in message.iter_parts():
        assert part.defects == []
        assert len(part.get_content()) > 300  # type: ignore[attr-defined]
    assert [address.addr_spec for address in message["To"].addresses] == list(recipients)


def test_a_ready_check_goes_to_everybody(
    context: WorkerContext, database: Database, guests: list[Guest], recording: Recording
) -> None:
    from tests.support.factories import sit

    slug = open_table(database, guests[0], wish())
    for guest in guests[1:]:
        sit(database, slug, guest)
    delivery.deliver(context)
    assert recording.sent() == [("ready-check", guest.person.address) for guest in guests]


def test_one_press_in_the_mail_program_ends_the_letters_of_that_game(
    context: WorkerContext,
    database: Database,
    slug: str,
    guests: list[Guest],
    recording: Recording,
    outbox: Outbox,
    clock: Passing,
) -> None:
    delivery.deliver(context)
    mine = next(message for message in recording.messages if kind_of(bytes(message)) == "your-turn")
    token = urlsplit(str(mine["List-Unsubscribe"]).strip("<>")).path.rpartition("/")[2]
    with transaction(database) as tx:
        assert unsubscribe_page(tx, token).scope == "game"
        unsubscribe(tx, token, now=clock())
        unsubscribe(tx, token, now=clock())
    recording.parcels.clear()
    for guest in guests:
        play(database, slug, guest, now=clock())
    delivery.deliver(context)
    assert ALICE.address not in {parcel.recipient for parcel in recording.parcels}
    alices = outbox.rows("your-turn")[-1]
    assert (alices.status, alices.reason) == ("dropped", "unsubscribed")

    # Nobody is locked out: signing in has nothing to do with it.
    with transaction(database) as tx:
        ask(tx, ALICE, now=clock())
    delivery.deliver(context)
    assert ("sign-in", ALICE.address) in recording.sent()


def test_a_token_for_reminders_ends_nothing_else(
    context: WorkerContext, database: Database, slug: str, recording: Recording, clock: Passing
) -> None:
    delivery.deliver(context)
    remind(context, clock)
    reminder = next(
        message for message in recording.messages if kind_of(bytes(message)) == "reminder"
    )
    token = urlsplit(str(reminder["List-Unsubscribe"]).strip("<>")).path.rpartition("/")[2]
    with transaction(database) as tx:
        assert unsubscribe_page(tx, token).scope == "reminders"


def test_without_a_relay_the_same_letters_lie_in_the_folder(
    context: WorkerContext, slug: str, tmp_path: Path, outbox: Outbox
) -> None:
    delivery.deliver(replace(context, transport=MaildirTransport(tmp_path / "mail")))
    filed = EmailFolder(tmp_path / "mail")
    mails = [filed.read(mail.key) for mail in filed.all()]
    assert len(mails) == 4
    assert outbox.statuses() == {"sent"}
    assert all(mail and dict(mail.headers)["Return-Path"] for mail in mails)


def test_a_bounce_names_its_letter_where_the_domain_is_a_real_one(
    relayed: WorkerContext, slug: str, sink: Sink
) -> None:
    delivery.deliver(replace(relayed, mail_from="lodepost@lodepost.org"))
    for taken in sink.taken:
        own = str(read(taken.message)["Message-ID"]).strip("<>").partition("@")[0]
        assert taken.sender == f"bounce+{own}@lodepost.org"
