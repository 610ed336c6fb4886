"""Answers by email: what is played from them, what is answered, and what never is."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import time, timedelta
from email.message import EmailMessage
from email.utils import parseaddr

import pytest
from sqlalchemy import select, update

from tasks import delivery, replies
from tasks.context import WorkerContext
from tests.support.blocked_requests import wait_until_blocked_or_done
from tests.support.cast import ALICE, BOB
from tests.support.factories import Guest, stored_game
from tests.support.fakes import Outbox, RecordingTransport, html_of, parse_message, text_of
from tests.support.plans import make_plan
from tests.support.replies import (
    ADDRESSES,
    answer_and_read,
    answer_to,
    latest_email_to,
    send_answer,
)
from tests.support.signed_emails import Dns, signed
from tests.support.transactions import transaction
from webapp.accounts.schema import Account
from webapp.clock.absences import own_absences
from webapp.clock.email_times import TypedQuietHours, change_quiet_hours
from webapp.mail.inbound.processing import (
    MAX_UNPROVEN_ANSWERS_A_DAY,
    examine,
    give_up_email,
    next_email,
)
from webapp.mail.inbound.receiving import find_mailbox, receive
from webapp.mail.outbox.unsubscribe import unsubscribe
from webapp.mail.reply_commands import parse_commands
from webapp.mail.reply_words import Verb
from webapp.mail.schema import InboundEmail
from webapp.play.schema import Message
from webapp.play.talk.talk import MAX_MESSAGE_LENGTH


@pytest.fixture
def worker(worker: WorkerContext) -> WorkerContext:
    return replace(worker, own_addresses=ADDRESSES, authserv_id="mx.lodepost.test")


@pytest.fixture(autouse=True)
def _deal(slug: str, worker: WorkerContext) -> None:
    delivery.deliver(worker)


def subjects_to(transport: RecordingTransport, address: str) -> list[str]:
    return [str(latest_email_to(transport, address)["Subject"])]


def seq_of(worker: WorkerContext, slug: str, guest: Guest) -> int:
    return stored_game(worker.database, slug, guest).seq


def outcomes(worker: WorkerContext) -> list[str | None]:
    with transaction(worker.database) as tx:
        rows = tx.execute(select(InboundEmail.outcome).order_by(InboundEmail.id))
        return list(rows.scalars())


def test_command_in_an_answer_is_played_and_answered(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    before = seq_of(worker, slug, guests[0])
    answer = answer_and_read(worker, recording_transport, ALICE.address, "Discard 1")
    assert seq_of(worker, slug, guests[0]) == before + 1
    assert str(answer["Subject"]).startswith("Done: ")
    assert answer["Auto-Submitted"] == "auto-replied"
    assert "You wrote: Discard 1" in text_of(answer)
    assert "You discarded a card face down: " in " ".join(text_of(answer).split())
    assert "Your turn" in str(latest_email_to(recording_transport, BOB.address)["Subject"])


@pytest.mark.parametrize(
    "typed, sentence",
    [
        ("florp", "We don't understand"),
        ("discard 9", "That card isn't in your hand. Play one of the cards you hold. You can: "),
        ("pass", "You can only pass with an empty hand."),
        ("lay 9 B5", "That card isn't in your hand."),
        ("gold 2", "There's nothing to choose right now."),
        ("l 9 B5", "That card isn't in your hand."),
        ("plan lay 1 A5", "It's your turn now."),
        ("discard fish", "I don't know"),
        ("discard", "That could mean several things"),
        ("say", "Say what?"),
        ("", "no command"),
    ],
)
def test_mistake_gets_an_answer_that_says_what_is_wrong(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    typed: str,
    sentence: str,
) -> None:
    before = seq_of(worker, slug, guests[0])
    answer = answer_and_read(worker, recording_transport, ALICE.address, typed)
    assert seq_of(worker, slug, guests[0]) == before
    assert str(answer["Subject"]).startswith("Nothing was played: ")
    assert sentence in " ".join(text_of(answer).split())


@pytest.mark.parametrize("is_link_only", [False, True])
def test_help_lists_every_command(
    worker: WorkerContext,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    *,
    is_link_only: bool,
) -> None:
    with transaction(worker.database) as tx:
        tx.execute(
            update(Account)
            .where(Account.id == guests[0].person.id)
            .values(wants_link_only=is_link_only)
        )
    answer_and_read(worker, recording_transport, ALICE.address, "help")
    answer = text_of(parse_message(recording_transport.emails[-1].message))
    words = re.findall(r"(?:^\* |; )(\w+).*?:", answer, re.MULTILINE)
    verbs = {verb for command in parse_commands(words) for verb in command.verbs}
    assert verbs == set(Verb) - {Verb.HELP}


@pytest.mark.parametrize("length, message_count", [(MAX_MESSAGE_LENGTH, 1), (501, 0), (5000, 0)])
def test_message_that_is_too_long_is_refused_and_never_cut(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    length: int,
    message_count: int,
) -> None:
    before = seq_of(worker, slug, guests[0])
    said = ("well dug, everyone " * length)[: length - 1] + "!"
    answer = answer_and_read(worker, recording_transport, ALICE.address, f"say {said}\n\ndiscard 1")
    answer_text = " ".join(text_of(answer).split())
    assert ("at most 500 characters" in answer_text) is (message_count == 0)
    assert seq_of(worker, slug, guests[0]) == before + message_count
    with transaction(worker.database) as tx:
        assert list(tx.execute(select(Message.text)).scalars()) == [said] * message_count


def test_message_of_a_muted_player_is_refused_with_the_reason(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    muted_until = worker.now() + timedelta(days=3)
    with transaction(worker.database) as tx:
        tx.execute(
            update(Account).where(Account.address == ALICE.address).values(muted_until=muted_until)
        )
    answer = answer_and_read(worker, recording_transport, ALICE.address, "say well dug")
    answer_text = " ".join(text_of(answer).split())
    assert "A moderator has muted you, so you can't write messages until Thu" in answer_text
    with transaction(worker.database) as tx:
        assert tx.execute(select(Message.text)).all() == []


def test_answer_to_an_answer_plays_too(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    answer_and_read(worker, recording_transport, ALICE.address, "florp")
    answer = answer_and_read(worker, recording_transport, ALICE.address, "discard 2")
    assert str(answer["Subject"]).startswith("Done: ")


def test_late_answer_plays_nothing_and_is_answered_kindly(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    answer_and_read(worker, recording_transport, ALICE.address, "discard 1")
    before = seq_of(worker, slug, guests[0])
    raw = answer_to(message, "discard 2", **{"Message-ID": "<second@mail.example>"})
    send_answer(worker, message, raw)
    replies.read_replies(worker)
    delivery.deliver(worker)
    assert seq_of(worker, slug, guests[0]) == before
    answer = latest_email_to(recording_transport, ALICE.address)
    assert "This turn is over already" in text_of(answer)


def test_email_that_comes_twice_is_read_once(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    raw = answer_to(message, "say hello")
    assert send_answer(worker, message, raw)
    assert not send_answer(worker, message, raw)
    replies.read_replies(worker)
    assert not send_answer(worker, message, raw)
    assert len(outcomes(worker)) == 1


def test_email_that_comes_by_two_routes_is_read_once(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    raw = answer_to(message, "say hello")
    route = b"Return-Path: <alice@example.test>\r\nReceived: from %b.example\r\n"
    assert send_answer(worker, message, route % b"one" + raw)
    assert not send_answer(worker, message, route % b"two" + raw)
    replies.read_replies(worker)
    assert not send_answer(worker, message, route % b"three" + raw)
    assert len(outcomes(worker)) == 1


@pytest.mark.parametrize("field", ["", "Message-ID: \n", "Message-ID: <a@b>\nMessage-ID: <c@d>\n"])
def test_emails_without_one_message_id_differ_by_their_content(
    worker: WorkerContext, recording_transport: RecordingTransport, field: str
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    for number in range(2):
        raw = f"{field}From: {ALICE.address}\n\nsay {number}\n".encode()
        assert send_answer(worker, message, raw)


def test_same_message_id_at_two_addresses_is_two_emails(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    raw = answer_to(message, "discard 1")
    assert send_answer(worker, message, raw)
    replies.read_replies(worker)
    delivery.deliver(worker)
    assert send_answer(worker, latest_email_to(recording_transport, BOB.address), raw)


def test_email_that_two_processes_receive_at_once_is_stored_once(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    raw = answer_to(message, "say hello")
    with ThreadPoolExecutor(1) as pool:
        with transaction(worker.database) as tx:
            mailbox = find_mailbox(tx, parseaddr(str(message["Reply-To"]))[1], ADDRESSES)
            assert mailbox is not None
            assert receive(tx.at(worker.now()), mailbox, b"Received: by one\r\n" + raw)
            other = pool.submit(send_answer, worker, message, b"Received: by two\r\n" + raw)
            wait_until_blocked_or_done(worker.database, other)
            assert not other.done()
        assert not other.result(timeout=60)


@pytest.mark.parametrize(
    "fields, reason",
    [
        ({"Auto-Submitted": "auto-replied"}, "automatic"),
        ({"Precedence": "bulk"}, "automatic"),
        ({"From": "reply+abc@lodepost.test"}, "automatic"),
        ({"From": "mallory@evil.test, alice@example.test"}, "no-sender"),
    ],
)
def test_programs_and_senders_without_one_address_get_no_answer(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    outbox: Outbox,
    fields: dict[str, str],
    reason: str,
) -> None:
    before = seq_of(worker, slug, guests[0])
    message = latest_email_to(recording_transport, ALICE.address)
    send_answer(worker, message, answer_to(message, "discard 1", **fields))
    replies.read_replies(worker)
    assert outcomes(worker) == [reason]
    assert seq_of(worker, slug, guests[0]) == before
    assert [row.kind for row in outbox.rows() if row.status == "pending"] == []


@pytest.mark.parametrize(
    "sender, said",
    [
        ("Alice <alice@other.example>", "from another address, at other.example. We"),
        ("Bob <bob@example.test>", "from another address, at example.test. We"),
        ("mallory@under_score.example", "from another address. We"),
    ],
)
def test_answer_from_another_address_is_reported_to_the_player_alone(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    sender: str,
    said: str,
) -> None:
    before = seq_of(worker, slug, guests[0])
    message = latest_email_to(recording_transport, ALICE.address)
    sent_count = len(recording_transport.emails)
    raw = answer_to(message, "discard 1; say zyzzyva", From=sender)
    send_answer(worker, message, raw)
    replies.read_replies(worker)
    delivery.deliver(worker)
    assert seq_of(worker, slug, guests[0]) == before
    [sent] = recording_transport.emails[sent_count:]
    assert sent.recipient == ALICE.address
    answer = latest_email_to(recording_transport, ALICE.address)
    assert str(answer["Subject"]).startswith("Nothing was played: ")
    answer_text = " ".join(text_of(answer).replace("\u2060", "").split())
    assert said in answer_text
    assert "https://lodepost.test/m/" in html_of(answer)
    assert not re.search("zyzzyva|mallory|bob@|alice@|You wrote", answer_text)


def test_only_some_answers_from_other_addresses_are_reported_a_day(
    worker: WorkerContext, recording_transport: RecordingTransport, outbox: Outbox
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    for number in range(MAX_UNPROVEN_ANSWERS_A_DAY + 1):
        raw = answer_to(message, f"say {number}", From=f"{number}@other.example")
        send_answer(worker, message, raw)
    replies.read_replies(worker)
    assert len(outbox.rows("reply-answered")) == MAX_UNPROVEN_ANSWERS_A_DAY
    assert outcomes(worker)[-1] == "too-many"
    send_answer(worker, message, answer_to(message, "status"))
    replies.read_replies(worker)
    assert outcomes(worker)[-1] != "too-many"


@pytest.mark.parametrize(
    "results, turns",
    [
        ("mx.lodepost.test; dmarc=pass header.from=example.test", 1),
        (
            "MX.lodepost.test; dkim=pass header.d=example.test; dmarc=pass header.from=example.test",
            1,
        ),
        ("mx.lodepost.test; dmarc=fail header.from=example.test", 0),
        ("mx.lodepost.test; dmarc=pass header.from=other.test", 0),
        ("mx.other.test; dmarc=pass header.from=example.test", 0),
        ("rubbish ((;;", 0),
        (None, 0),
    ],
)
def test_turn_is_played_only_if_the_host_s_mail_server_has_proven_the_sender(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    results: str | None,
    turns: int,
) -> None:
    before = seq_of(worker, slug, guests[0])
    message = latest_email_to(recording_transport, ALICE.address)
    fields = {} if results is None else {"Authentication-Results": results}
    send_answer(worker, message, answer_to(message, "discard 1", **fields), is_vouched=False)
    replies.read_replies(worker)
    delivery.deliver(worker)
    assert seq_of(worker, slug, guests[0]) == before + turns
    answer = text_of(latest_email_to(recording_transport, ALICE.address))
    assert ("couldn't verify" in " ".join(answer.split())) is not bool(turns)


def test_forged_emails_use_up_no_answers_of_the_player(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    outbox: Outbox,
) -> None:
    before = seq_of(worker, slug, guests[0])
    message = latest_email_to(recording_transport, ALICE.address)
    for number in range(MAX_UNPROVEN_ANSWERS_A_DAY + 2):
        raw = answer_to(message, f"discard {number + 1}; status")
        send_answer(worker, message, raw, is_vouched=False)
    replies.read_replies(worker)
    assert len(outbox.rows("reply-answered")) == MAX_UNPROVEN_ANSWERS_A_DAY
    assert outcomes(worker)[-2:] == ["too-many", "too-many"]
    send_answer(worker, message, answer_to(message, "discard 1"))
    replies.read_replies(worker)
    assert seq_of(worker, slug, guests[0]) == before + 1


def move_links(answer: EmailMessage) -> list[str]:
    return re.findall(r"https://lodepost\.test/m/[^\"\s<]+", html_of(answer))


@pytest.mark.parametrize("fields", [{}, {"From": "alice@other.example"}])
@pytest.mark.parametrize(
    "typed, is_one",
    [
        ("discard 1", True),
        ("say hi; discard 1", True),
        ("status; discard 1; back", True),
        ("discard 1; discard 2", False),
        ("discard 99", False),
        ("status", False),
        ("", False),
    ],
)
def test_answer_without_a_proof_links_the_one_move_that_was_understood(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    typed: str,
    fields: dict[str, str],
    *,
    is_one: bool,
) -> None:
    before = seq_of(worker, slug, guests[0])
    message = latest_email_to(recording_transport, ALICE.address)
    send_answer(worker, message, answer_to(message, typed, **fields), is_vouched=False)
    replies.read_replies(worker)
    delivery.deliver(worker)
    answer = latest_email_to(recording_transport, ALICE.address)
    links = move_links(answer)
    assert (len(links) == 1) is is_one
    assert len(links) > 0
    assert ("What you can do" in text_of(answer)) is not is_one
    if is_one:
        first_link = re.search(r"https://[^\s<>]+", text_of(answer))
        assert first_link is not None
        assert first_link[0].replace("&", "&amp;") == links[0]
        assert "The move that we understood: Discard" in " ".join(text_of(answer).split())
    assert seq_of(worker, slug, guests[0]) == before


def test_only_the_topmost_results_of_the_server_count(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    before = seq_of(worker, slug, guests[0])
    message = latest_email_to(recording_transport, ALICE.address)
    raw = answer_to(message, "discard 1")
    own, forged = (
        f"Authentication-Results: mx.lodepost.test; dmarc={result} header.from=example.test\r\n"
        for result in ("fail", "pass")
    )
    send_answer(worker, message, own.encode() + forged.encode() + raw, is_vouched=False)
    replies.read_replies(worker)
    assert seq_of(worker, slug, guests[0]) == before


@pytest.mark.parametrize("signer, turns", [("example.test", 1), ("other.test", 0)])
def test_without_such_a_server_the_signature_proves_the_sender(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    signer: str,
    turns: int,
) -> None:
    worker = replace(worker, authserv_id="", fetch_txt_records=Dns({}).texts)
    before = seq_of(worker, slug, guests[0])
    message = latest_email_to(recording_transport, ALICE.address)
    raw = signed(answer_to(message, "discard 1"), signer)
    send_answer(worker, message, raw, is_vouched=False)
    replies.read_replies(worker)
    assert seq_of(worker, slug, guests[0]) == before + turns


def test_nothing_is_played_after_a_command_that_was_refused(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    """A name may contain what looks like a command."""
    before = seq_of(worker, slug, guests[0])
    answer = answer_and_read(
        worker, recording_transport, ALICE.address, "break 1 ?; discard 1; say sorry; really"
    )
    assert seq_of(worker, slug, guests[0]) == before
    assert "Skipped, because the command before it" in text_of(answer)
    assert "You wrote: say sorry; really" in text_of(answer)


def test_turn_is_planned_in_an_answer_and_played(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    answer_and_read(worker, recording_transport, ALICE.address, "discard 1")
    answer = answer_and_read(worker, recording_transport, ALICE.address, "plan discard 2")
    assert "Planned for your next turn: Discard" in " ".join(text_of(answer).split())
    seat = stored_game(worker.database, slug, guests[0]).plans[0]
    assert (seat.seat, len(seat.plan.actions)) == (0, 1)
    answer = answer_and_read(worker, recording_transport, ALICE.address, "plan discard 1")
    assert "instead of what you had planned: Discard" in " ".join(text_of(answer).split())
    answer = answer_and_read(worker, recording_transport, ALICE.address, "plan none")
    assert "Your plan is dropped" in text_of(answer)
    assert stored_game(worker.database, slug, guests[0]).plans == ()


def test_refused_plan_is_answered_with_the_reason(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    answer_and_read(worker, recording_transport, ALICE.address, "discard 1")
    answer = answer_and_read(worker, recording_transport, ALICE.address, "plan discard 9")
    assert "That card isn't in your hand." in text_of(answer)
    answer = answer_and_read(worker, recording_transport, ALICE.address, "plan gold 2")
    assert "You can't do that now." in text_of(answer)


def test_plan_of_the_turn_that_waits_is_refused(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    answer = answer_and_read(worker, recording_transport, ALICE.address, "plan discard 1")
    assert "Answer with the move itself" in text_of(answer)


def test_player_is_away_until_a_day_and_comes_back(
    worker: WorkerContext, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    answer = answer_and_read(worker, recording_transport, ALICE.address, "away until 10 March")
    assert "Away until" in text_of(answer)
    with transaction(worker.database) as tx:
        [absence] = own_absences(tx.at(worker.now()), guests[0].person)
    assert absence.until_at > worker.now()
    answer = answer_and_read(worker, recording_transport, ALICE.address, "back")
    assert "Welcome back" in text_of(answer)
    with transaction(worker.database) as tx:
        assert own_absences(tx.at(worker.now()), guests[0].person) == ()


def test_player_who_is_away_moves_the_end_of_that(
    worker: WorkerContext, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    ends = []
    for day in ("10 March", "20 March", "5 March"):
        answer = answer_and_read(worker, recording_transport, ALICE.address, f"away until {day}")
        assert str(answer["Subject"]).startswith("Done: ")
        with transaction(worker.database) as tx:
            [absence] = own_absences(tx.at(worker.now()), guests[0].person)
        ends.append(absence.until_at)
    assert ends[2] < ends[0] < ends[1]


def test_saying_when_one_will_be_back_ends_no_absence(
    worker: WorkerContext, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    typed = "away until 10 March\nBack on Tuesday, sorry!"
    answer = answer_and_read(worker, recording_transport, ALICE.address, typed)
    assert "answer with “back” and nothing else" in " ".join(text_of(answer).split())
    with transaction(worker.database) as tx:
        assert len(own_absences(tx.at(worker.now()), guests[0].person)) == 1


def test_player_who_was_not_away_is_not_welcomed_back(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    answer = answer_and_read(worker, recording_transport, ALICE.address, "back")
    assert "You weren't away" in text_of(answer)


@pytest.mark.parametrize(
    "typed, sentence", [("away", "Until when?"), ("away until 2020-01-01", "can't be away")]
)
def test_absence_without_a_possible_end_is_explained(
    worker: WorkerContext, recording_transport: RecordingTransport, typed: str, sentence: str
) -> None:
    answer = answer_and_read(worker, recording_transport, ALICE.address, typed)
    assert sentence in text_of(answer)


def test_email_to_the_address_that_stops_emails_stops_them(
    worker: WorkerContext, recording_transport: RecordingTransport, outbox: Outbox
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    [address] = re.findall(r"<mailto:([^?>]+)", str(message["List-Unsubscribe"]))
    raw = b"From: someone@else.test\r\nSubject: unsubscribe\r\n\r\n"
    with transaction(worker.database) as tx:
        mailbox = find_mailbox(tx, address, ADDRESSES)
        assert mailbox is not None
        receive(tx.at(worker.now()), mailbox, raw)
    replies.read_replies(worker)
    assert outcomes(worker) == ["unsubscribed"]
    assert outbox.count("opt_out") == 1


def hold_turns(worker: WorkerContext, guest: Guest, minutes: int = 5) -> None:
    with transaction(worker.database) as tx:
        tx.execute(
            update(Account).where(Account.id == guest.person.id).values(hold_minutes=minutes)
        )


def test_held_turn_is_taken_back(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    hold_turns(worker, guests[0])
    answer_and_read(worker, recording_transport, ALICE.address, "discard 1")
    assert stored_game(worker.database, slug, guests[0]).row.held_turn is not None
    answer = answer_and_read(worker, recording_transport, ALICE.address, "status")
    assert "Your turn is set: Discard" in " ".join(text_of(answer).split())
    answer = answer_and_read(worker, recording_transport, ALICE.address, "undo")
    assert stored_game(worker.database, slug, guests[0]).row.held_turn is None
    assert "Taken back" in text_of(answer)
    assert "Your turn is set" not in text_of(answer)


def test_turn_that_has_entered_the_game_is_not_said_to_be_undone(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    before = seq_of(worker, slug, guests[0])
    answer = answer_and_read(worker, recording_transport, ALICE.address, "discard 1\nundo")
    assert seq_of(worker, slug, guests[0]) == before + 1
    assert str(answer["Subject"]).startswith("Done in part: ")
    assert "There's no turn to take back" in text_of(answer)


def test_second_move_in_an_email_does_not_play_the_player_s_next_turn(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    """The others may have planned theirs; the position and the numbers of the cards are not those of the email by then."""
    for guest in guests[1:]:
        make_plan(worker.database, slug, guest, now=worker.now())
    before = seq_of(worker, slug, guests[0])
    answer = answer_and_read(
        worker, recording_transport, ALICE.address, "discard 1\ndiscard 2\nplan discard 3"
    )
    assert seq_of(worker, slug, guests[0]) == before + 3
    assert "It's your turn" in text_of(answer)
    assert str(answer["Subject"]).startswith("Done in part: ")


def test_no_plan_is_made_by_numbers_of_a_hand_that_has_changed(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    answer = answer_and_read(
        worker, recording_transport, ALICE.address, "discard 1\nplan discard 3"
    )
    assert "Your hand and its numbers have changed" in " ".join(text_of(answer).split())
    assert stored_game(worker.database, slug, guests[0]).plans == ()


def test_second_move_in_an_email_does_not_replace_a_held_one(
    worker: WorkerContext, slug: str, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    hold_turns(worker, guests[0])
    answer_and_read(worker, recording_transport, ALICE.address, "discard 1")
    held = stored_game(worker.database, slug, guests[0]).row.held_turn
    answer = answer_and_read(
        worker, recording_transport, ALICE.address, "undo\ndiscard 1\ndiscard 2"
    )
    assert "You've already set your turn" in " ".join(text_of(answer).split())
    assert stored_game(worker.database, slug, guests[0]).row.held_turn == held


def store_answer(worker: WorkerContext, transport: RecordingTransport, **fields: str) -> int:
    """Store an answer of Alice without reading it; return its number."""
    message = latest_email_to(transport, ALICE.address)
    send_answer(worker, message, answer_to(message, "discard 1", **fields))
    with transaction(worker.database) as tx:
        return tx.execute(select(InboundEmail.id)).scalar_one()


@pytest.mark.parametrize(
    "fields, subject, outcome",
    [
        ({}, "Nothing was played: ", ""),
        ({"Auto-Submitted": "auto-replied"}, "Your turn", "automatic"),
    ],
)
def test_email_on_which_this_software_fails_is_answered_unless_a_program_has_written_it(
    worker: WorkerContext,
    recording_transport: RecordingTransport,
    fields: dict[str, str],
    subject: str,
    outcome: str,
) -> None:
    number = store_answer(worker, recording_transport, **fields)
    with transaction(worker.database) as tx:
        row = next_email(tx)
        assert row is not None
        examined = examine(row, authserv_id="", fetch_texts=Dns({}).texts)
        give_up_email(tx.at(worker.now()), number, examined)
    delivery.deliver(worker)
    answer = latest_email_to(recording_transport, ALICE.address)
    assert str(answer["Subject"]).startswith(subject)
    assert outcome in (outcomes(worker)[0] or "")


def test_email_that_cannot_be_examined_gets_no_answer_and_stops_no_other(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    def texts(name: str) -> tuple[str, ...]:
        if name.startswith("_dmarc."):
            raise RuntimeError
        return tuple(Dns({}).texts(name))

    worker = replace(worker, authserv_id="", fetch_txt_records=texts)
    message = latest_email_to(recording_transport, ALICE.address)
    raw = signed(answer_to(message, "discard 1"), "mail.example.test")
    send_answer(worker, message, raw, is_vouched=False)
    send_answer(worker, message, answer_to(message, "status"))
    replies.read_replies(worker)
    assert outcomes(worker)[0] == "failed"
    assert "This is how the game stands" in (outcomes(worker)[1] or "")


def stop_emails(worker: WorkerContext, message: EmailMessage, *, number: int) -> None:
    """Stop the emails that a link at the end of an email stops."""
    tokens = re.findall("/u/([a-z0-9]+)", text_of(message))
    with transaction(worker.database) as tx:
        assert unsubscribe(tx.at(worker.now()), tokens[number]).is_unsubscribed


@pytest.mark.parametrize("number", [0, -1])
def test_player_who_has_stopped_emails_gets_answers(
    worker: WorkerContext,
    slug: str,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    number: int,
) -> None:
    before = seq_of(worker, slug, guests[0])
    message = latest_email_to(recording_transport, ALICE.address)
    stop_emails(worker, message, number=number)
    answer = answer_and_read(worker, recording_transport, ALICE.address, "discard 1")
    assert seq_of(worker, slug, guests[0]) == before + 1
    assert str(answer["Subject"]).startswith("Done: ")


@pytest.mark.parametrize("field", ["other address", "suppressed"])
def test_stopped_emails_stay_stopped_for_strangers_and_for_addresses_that_fail(
    worker: WorkerContext,
    recording_transport: RecordingTransport,
    outbox: Outbox,
    field: str,
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    stop_emails(worker, message, number=-1)
    sent_count = len(recording_transport.emails)
    fields = {"From": "mallory@evil.test"} if field == "other address" else {}
    if field == "suppressed":
        outbox.execute("UPDATE account SET suppressed_until = '2030-01-01'")
    send_answer(worker, message, answer_to(message, "discard 1", **fields))
    replies.read_replies(worker)
    delivery.deliver(worker)
    recipients = [email.recipient for email in recording_transport.emails[sent_count:]]
    assert ALICE.address not in recipients


@pytest.mark.parametrize(
    "typed, fields, reason",
    [
        ("florp zyzzyva", {}, "Your email doesn't begin with a command."),
        ("", {}, "Your email has no command"),
        ("say", {}, "Say what?"),
        ("discard 9", {}, "Your emails leave out your cards and moves"),
        ("discard", {}, "The table's page shows what you can do."),
        ("undo", {}, "There's no turn to take back"),
        ("discard 1", {"Authentication-Results": "mx.other.test"}, "couldn't verify"),
        ("discard 1", {"From": "alice@other.example"}, "from another address, at other.example."),
    ],
)
def test_email_without_cards_and_moves_says_why_nothing_was_played(
    worker: WorkerContext,
    guests: list[Guest],
    recording_transport: RecordingTransport,
    typed: str,
    fields: dict[str, str],
    reason: str,
) -> None:
    message = latest_email_to(recording_transport, ALICE.address)
    with transaction(worker.database) as tx:
        tx.execute(
            update(Account).where(Account.id == guests[0].person.id).values(wants_link_only=True)
        )
    is_proven = "Authentication-Results" not in fields
    send_answer(worker, message, answer_to(message, typed, **fields), is_vouched=is_proven)
    replies.read_replies(worker)
    delivery.deliver(worker)
    answer = parse_message(recording_transport.emails[-1].message)
    answer_text = " ".join(text_of(answer).replace("\u2060", "").split())
    assert str(answer["Subject"]).startswith("Nothing was played: ")
    assert reason in answer_text
    assert "https://lodepost.test/games/" in answer_text
    assert not re.search(r"You wrote|zyzzyva|[Dd]iscard \d|/m/|What you can do", answer_text)


def test_answer_does_not_wait_for_the_end_of_quiet_hours(
    worker: WorkerContext, guests: list[Guest], recording_transport: RecordingTransport
) -> None:
    quiet = TypedQuietHours(
        number=1, weekdays=tuple(range(7)), from_time=time(11), until_time=time(17)
    )
    with transaction(worker.database) as tx:
        change_quiet_hours(tx, guests[0].person, [quiet])
    answer = answer_and_read(worker, recording_transport, ALICE.address, "status")
    assert str(answer["Subject"]).startswith("Done: ")
