"""A whole game by email through real mail servers: Postfix carries all emails, players read theirs in Dovecot and answer with seven mail programs.

Their provider signs what they send, and nothing else proves who they are.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from email.message import EmailMessage
from itertools import cycle
from smtplib import SMTP

import pytest
from imapclient import IMAPClient
from sqlalchemy import func, select

from engine.rulebook import HouseRules
from tasks import delivery, replies
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL, Character
from tests.support.dovecot import PASSWORD, Dovecot, running_dovecot
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import deal_game, sign_in_guests, table_settings
from tests.support.fakes import kind_of, parse_message, text_of
from tests.support.listed_commands import listed_commands
from tests.support.mail_programs import MAIL_PROGRAMS
from tests.support.ports import free_port
from tests.support.redis import wait_until
from tests.support.signed_emails import Dns, signed
from tests.support.sizes import is_full_run
from tests.support.smtp_sink import Sink
from tests.support.transactions import transaction
from tests.tasks.postfix import PostfixRelay, running_relay
from webapp.kernel.tx import Database
from webapp.mail.inbound.receiving import OwnAddresses
from webapp.mail.relay import relay_at
from webapp.mail.schema import InboundEmail, Notification
from webapp.mail.smtp import SmtpTransport
from webapp.serving.mail_in import MailReceiver, MailServer

PLAYERS = (ALICE, BOB, CAROL)
ADDRESSES = OwnAddresses("reply@play.example.org", "bounce@play.example.org")
MAIL_FROM = "games@play.example.org"


@pytest.fixture
def dovecot() -> Iterator[Dovecot]:
    with running_dovecot() as server:
        yield server


@pytest.fixture
def relay(worker: WorkerContext, sink: Sink, dovecot: Dovecot) -> Iterator[PostfixRelay]:
    """A Postfix that hands emails to players over to Dovecot, and those to the server to it."""
    receiver = MailReceiver(
        worker.database, addresses=ADDRESSES, nudge=lambda _: None, now=worker.now
    )
    server = MailServer(receiver, "127.0.0.1", free_port(), is_lmtp=True)
    server.start()
    ports = {"example.test": dovecot.lmtp_port, "play.example.org": server.port}
    try:
        with running_relay(sink.port, lmtp_ports=ports) as started_relay:
            yield started_relay
    finally:
        server.stop()


@contextmanager
def mailbox_of(player: Character, dovecot: Dovecot) -> Iterator[IMAPClient]:
    with IMAPClient("127.0.0.1", port=dovecot.imap_port, ssl=False) as client:
        client.login(player.address.partition("@")[0], PASSWORD)
        client.select_folder("INBOX")
        yield client


def unread_emails(player: Character, dovecot: Dovecot) -> list[EmailMessage]:
    """Return the emails that a player has not read yet, and mark them as read."""
    with mailbox_of(player, dovecot) as client:
        found = client.search(["NOT", "SEEN"])
        return [parse_message(each[b"RFC822"]) for each in client.fetch(found, ["RFC822"]).values()]


def delivered_count(dovecot: Dovecot) -> int:
    count = 0
    for player in PLAYERS:
        with mailbox_of(player, dovecot) as client:
            count += len(client.search())
    return count


def count_of(database: Database, table: type[Notification | InboundEmail], status: str = "") -> int:
    query = select(func.count()).select_from(table)
    if status:
        query = query.where(Notification.status == status)
    with transaction(database) as tx:
        return tx.execute(query).scalar_one()


class Correspondence:
    """The emails of a whole game, back and forth."""

    def __init__(self, worker: WorkerContext, relay: PostfixRelay, dovecot: Dovecot) -> None:
        self._worker, self._relay, self._dovecot = worker, relay, dovecot
        self._rng, self._programs = SeededRng(8), cycle(MAIL_PROGRAMS.values())
        self._answer_count = 0
        self.refusals: list[str] = []
        self.over_for: set[str] = set()
        """The players who have read that the game is over."""

    def exchange(self) -> bool:
        """Let every email arrive, be read and be answered; return whether someone was asked for a turn."""
        delivery.deliver(self._worker)
        sent_count = count_of(self._worker.database, Notification, "sent")
        wait_until(lambda: delivered_count(self._dovecot) >= sent_count)
        before = self._answer_count
        for player in PLAYERS:
            for message in unread_emails(player, self._dovecot):
                self._read(player, message)
        wait_until(lambda: count_of(self._worker.database, InboundEmail) >= self._answer_count)
        replies.read_replies(self._worker)
        return self._answer_count > before

    def _read(self, player: Character, message: EmailMessage) -> None:
        text = text_of(message)
        if kind_of(message.as_bytes()) == "game-over":
            self.over_for.add(player.address)
        if "Nothing was played" in text:
            self.refusals.append(text)
        commands = list(listed_commands(text))
        if commands and "it's your turn" in text.lower():
            self._answer(player, message, self._choice(commands))

    def _choice(self, commands: list[str]) -> str:
        laid = [command for command in commands if command.startswith("lay")]
        choices = laid if laid and self._rng.below(3) else commands
        return choices[self._rng.below(len(choices))]

    def _answer(self, player: Character, message: EmailMessage, command: str) -> None:
        """Send a command with the next mail program; the provider signs it."""
        self._answer_count += 1
        answer = next(self._programs)(message, command)
        answer["Message-ID"] = f"<{self._answer_count}@mail.example.test>"
        raw = signed(answer.as_bytes(), player.address.partition("@")[2])
        with SMTP("127.0.0.1", self._relay.port) as client:
            client.sendmail(player.address, str(answer["To"]), raw)


def test_three_players_play_a_whole_game_with_their_mail_programs(
    worker: WorkerContext, relay: PostfixRelay, dovecot: Dovecot
) -> None:
    rounds = 3 if is_full_run() else 1
    guests = sign_in_guests(worker.database, *PLAYERS)
    deal_game(worker.database, guests, table_settings(house=HouseRules(rounds=rounds)))
    with closing(SmtpTransport(relay_at(f"smtp://127.0.0.1:{relay.port}"))) as transport:
        mail_worker = replace(
            worker,
            transport=transport,
            mail_from=MAIL_FROM,
            own_addresses=ADDRESSES,
            fetch_txt_records=Dns({}).texts,
        )
        correspondence = Correspondence(mail_worker, relay, dovecot)
        while correspondence.exchange():
            pass
    assert correspondence.refusals == []
    assert correspondence.over_for == {player.address for player in PLAYERS}
