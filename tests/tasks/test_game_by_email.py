"""A whole game by email alone: its players see nothing but the text of their emails, and answer with a command that is listed there."""

import re
from collections.abc import Iterator
from dataclasses import replace
from email.utils import parseaddr

from engine.rulebook import HouseRules
from tasks import delivery, replies
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import deal_game, sign_in_guests, table_settings
from tests.support.fakes import RecordingTransport, kind_of, parse_message, text_of
from tests.support.replies import ADDRESSES, answer_to, send_answer
from tests.support.sizes import is_full_run


def listed_commands(text: str) -> Iterator[str]:
    """Yield the commands in an email, as a person reads them: of places in one row, each with what precedes them."""
    menu = text.partition("What you can do")[2].partition("Your time")[0]
    for line in re.sub(r"\n    +", " ", menu).splitlines():
        if line.startswith("  ") and ", " not in line:
            yield line.strip().partition("  ")[0]
        elif line.startswith("  "):
            first, *others = line.strip().split(", ")
            beginning = first.removesuffix(" turned").rpartition(" ")[0]
            yield first
            yield from (f"{beginning} {place}" for place in others)


def test_three_players_play_a_whole_game_by_email_alone(
    worker: WorkerContext, recording_transport: RecordingTransport
) -> None:
    worker = replace(worker, own_addresses=ADDRESSES)
    guests = sign_in_guests(worker.database, ALICE, BOB, CAROL)
    rounds = 3 if is_full_run() else 1
    deal_game(worker.database, guests, table_settings(house=HouseRules(rounds=rounds)))
    rng, read_count, refusals = SeededRng(8), 0, list[str]()
    for _ in range(400):
        delivery.deliver(worker)
        new_emails = recording_transport.emails[read_count:]
        read_count = len(recording_transport.emails)
        if any(kind_of(email.message) == "game-over" for email in new_emails):
            break
        for email in new_emails:
            message = parse_message(email.message)
            text = text_of(message)
            if "Nothing was played" in text:
                refusals.append(text)
            commands = list(listed_commands(text))
            if not commands or "it's your turn" not in f"{text}".lower():
                continue
            laid = [command for command in commands if command.startswith("lay")]
            choices = laid if laid and rng.below(3) else commands
            raw = answer_to(
                message,
                choices[rng.below(len(choices))],
                **{"Message-ID": f"<{read_count}.{rng.below(1 << 40)}@mail.example>"},
            )
            send_answer(worker, message, raw)
        replies.read_replies(worker)
    assert refusals == []
    over = [
        parseaddr(str(parse_message(email.message)["To"]))[1]
        for email in recording_transport.emails
        if kind_of(email.message) == "game-over"
    ]
    assert sorted(over) == sorted([ALICE.address, BOB.address, CAROL.address])
