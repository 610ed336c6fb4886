"""Malformed and hostile emails: none stops the worker, none changes a game that it may not change, and programs get no answer."""

import logging
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from typing import Final, TypeAlias

import pytest
from sqlalchemy import select, text

from tasks import delivery, replies
from tasks.context import WorkerContext
from tests.support.factories import Guest, deal_game, stored_game
from tests.support.fakes import Outbox, RecordingTransport, text_of
from tests.support.hostile_emails import (
    AUTHSERV_ID,
    CANARY,
    HostileEmail,
    Reaction,
    Recipient,
    control_email,
    hostile_email,
    kind_count,
)
from tests.support.replies import ADDRESSES
from tests.support.sizes import is_full_run
from tests.support.transactions import KEYS, NOON, transaction
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import hash_of
from webapp.kernel.tx import Database
from webapp.lobby.queries import tables
from webapp.mail.envelope import move_token_of, reply_token_of
from webapp.mail.inbound.authentication import is_authenticated
from webapp.mail.inbound.execution import decode_outcome
from webapp.mail.inbound.reading import MAX_LINE_LENGTH, MAX_SIZE, read_email
from webapp.mail.inbound.receiving import Mailbox, receive
from webapp.mail.queries.replies import ReplyTokenRow, store_tokens
from webapp.mail.schema import InboundEmail
from webapp.play.access import LoadedGame

EMAIL_COUNT: Final = 2000 if is_full_run() else 200
EMAILS_PER_TURN: Final = 50 if is_full_run() else 20
TURN_COUNT: Final = EMAIL_COUNT // EMAILS_PER_TURN
MAX_MEMORY: Final = 64 * 1024 * 1024
"""Bytes of Python objects while one email is read."""
Games: TypeAlias = list[tuple[int, int, str]]


@pytest.fixture
def worker(worker: WorkerContext) -> WorkerContext:
    return replace(worker, own_addresses=ADDRESSES, authserv_id=AUTHSERV_ID)


@pytest.fixture
def ended_game(database: Database, guests: list[Guest]) -> LoadedGame:
    """Another game of the three, cancelled while it waited for Alice."""
    game = stored_game(database, deal_game(database, guests), guests[0])
    with transaction(database) as tx:
        tables.set_status(tx, game.row.id, GameStatus.CANCELLED, ended_at=NOON)
    return game


class Mailroom:
    """Hands emails about the turn that waits to the receiver and to the worker, and says what they have changed."""

    def __init__(
        self, worker: WorkerContext, game: LoadedGame, ended_game: LoadedGame, guests: list[Guest]
    ) -> None:
        self._worker = worker
        self.player = guests[game.row.awaiting or 0]
        other_player = guests[(guests.index(self.player) + 1) % len(guests)]
        own_id, game_id, seq = self.player.person.id, game.row.id, game.seq
        self._tokens = {
            Recipient.TURN: self._issue(game_id, own_id, seq),
            Recipient.OTHER_PLAYER: self._issue(game_id, other_player.person.id, seq),
            Recipient.OTHER_TURN: self._issue(game_id, own_id, seq - 1),
            Recipient.ENDED_GAME: self._issue(ended_game.row.id, own_id, ended_game.seq),
            Recipient.LINK: self._issue(game_id, own_id, seq, is_link=True),
            Recipient.UNKNOWN: "no-such-token",
        }

    def _issue(self, game_id: int, account_id: int, seq: int, *, is_link: bool = False) -> str:
        token = (move_token_of if is_link else reply_token_of)(game_id, account_id, seq, KEYS)
        row = ReplyTokenRow(
            token_hash=hash_of(reply_token_of(game_id, account_id, seq, KEYS)),
            account_id=account_id,
            game_id=game_id,
            seq=seq,
        )
        with transaction(self._worker.database) as tx:
            store_tokens(tx, [row])
        return token

    def hand_in(self, email: HostileEmail) -> bool:
        """Store an email and let the worker read it; return whether it is new.

        The emails before are of two days ago, because only some are answered a day.
        """
        token, message = self._tokens[email.recipient], email.raw[:MAX_SIZE]
        earlier = text("UPDATE inbound_email SET settled_at = settled_at - interval '2 days'")
        with transaction(self._worker.database) as tx:
            tx.execute(earlier)
            is_new = receive(
                tx.at(self._worker.now()),
                Mailbox(token_hash=hash_of(token)),
                message,
                is_vouched=email.is_vouched,
            )
        replies.read_replies(self._worker)
        return is_new

    def games(self) -> Games:
        """Return number, turn and content of all games."""
        query = text("SELECT id, seq, md5(game::text) FROM game ORDER BY id")
        with transaction(self._worker.database) as tx:
            return [(row[0], row[1], row[2]) for row in tx.execute(query)]

    def latest_outcome(self) -> str | None:
        query = select(InboundEmail.outcome).order_by(InboundEmail.id.desc()).limit(1)
        with transaction(self._worker.database) as tx:
            return tx.execute(query).scalar_one()


@pytest.fixture
def mailrooms(
    worker: WorkerContext, slug: str, guests: list[Guest], ended_game: LoadedGame, outbox: Outbox
) -> Iterator[Mailroom]:
    """One for each turn."""

    def each() -> Iterator[Mailroom]:
        for _ in range(TURN_COUNT):
            outbox.clear()
            game = stored_game(worker.database, slug, guests[0])
            yield Mailroom(worker, game, ended_game, guests)

    return each()


def test_hostile_emails_change_no_game_and_are_answered_only_to_their_player(
    mailrooms: Iterator[Mailroom], outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    for turn, mailroom in enumerate(mailrooms):
        games = mailroom.games()
        for number in range(turn * EMAILS_PER_TURN, (turn + 1) * EMAILS_PER_TURN):
            email = hostile_email(number, mailroom.player.person.address)
            answers = len(outbox.rows("reply-answered"))
            mailroom.hand_in(email)
            name = f"{number}: {email.kind}"
            assert mailroom.games() == games, name
            check_answer(email, len(outbox.rows("reply-answered")) - answers, name)
            check_outcome(email, mailroom.latest_outcome(), name)
            assert not errors_in(caplog), name
        check_control(control_email(turn, mailroom.player.person.address), mailroom)


def check_answer(email: HostileEmail, count: int, name: str) -> None:
    expected = {Reaction.ANSWERED: {1}, Reaction.IGNORED: {0}}
    assert count in expected.get(email.reaction, {0, 1}), name


def check_outcome(email: HostileEmail, outcome: str | None, name: str) -> None:
    """Check what the answer will say: no field of the email, unless damage has made it text, and only printable text."""
    assert outcome not in {None, "failed"}, name
    assert outcome is not None
    if outcome.startswith("{"):
        commands = decode_outcome(outcome).commands
        assert CANARY not in outcome or email.reaction == Reaction.UNPLAYED, name
        assert not [each.typed for each in commands if not each.typed.isprintable()], name
        assert len(commands) <= 20, name


def errors_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def check_control(email: HostileEmail, mailroom: Mailroom) -> None:
    """Check that a proven command plays one turn, and none when it comes again, by another route or under another Message-ID."""
    before = {game_id: seq for game_id, seq, _ in mailroom.games()}
    assert mailroom.hand_in(email)
    games = mailroom.games()
    assert sum(seq - before[game_id] for game_id, seq, _ in games) == 1, email.kind
    assert not mailroom.hand_in(email)
    assert not mailroom.hand_in(email._replace(raw=b"Received: by another.test\r\n" + email.raw))
    assert mailroom.hand_in(email._replace(raw=email.raw.replace(b"@evil.test>", b"@again.test>")))
    assert mailroom.games() == games, email.kind


def test_answers_contain_no_field_of_a_hostile_email(
    worker: WorkerContext,
    mailrooms: Iterator[Mailroom],
    outbox: Outbox,
    recording_transport: RecordingTransport,
) -> None:
    mailroom = next(mailrooms)
    address = mailroom.player.person.address
    for number in range(kind_count()):
        email = hostile_email(number, address)
        if any(word in email.kind for word in ("line_ends", "words", "characters", "charset")):
            mailroom.hand_in(email)
    expected_count = len(outbox.rows("reply-answered"))
    delivery.deliver(worker)
    assert len(recording_transport.emails) == expected_count > 3
    for sent in recording_transport.emails:
        message = message_from_bytes(sent.message, policy=policy.default)
        assert sent.recipient == address
        assert CANARY.encode() not in sent.message
        assert CANARY not in text_of(sent.message)
        assert not message["Bcc"]


def test_reading_a_hostile_email_takes_little_memory() -> None:
    tracemalloc.start()
    try:
        for number in range(kind_count() * (10 if is_full_run() else 1)):
            email = hostile_email(number, "alice@example.test")
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            found = read_email(email.raw, markers=("Reply above this line",))
            is_authenticated(found, AUTHSERV_ID)
            peak = tracemalloc.get_traced_memory()[1] - before
            assert peak < MAX_MEMORY, f"{number}: {email.kind}"
            assert len(found.lines) <= 200, f"{number}: {email.kind}"
            assert max(map(len, found.lines), default=0) <= MAX_LINE_LENGTH, (
                f"{number}: {email.kind}"
            )
    finally:
        tracemalloc.stop()
