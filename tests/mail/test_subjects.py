"""Subjects say what the situation is and at which table; they stay short, and no name breaks out of them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from msgspec.structs import replace

from tests.mail.conftest import ComposeEmail
from tests.support.email_contexts import EMAIL_KINDS, GAME_KINDS, NOW, EmailContexts
from tests.support.golden import equals_golden_file
from webapp.kernel.i18n import language_for
from webapp.mail.subjects import MAX_SUBJECT_LENGTH, game_subject

GOLDEN_FILE: Final = Path(__file__).with_name("golden") / "subjects.txt"
SubjectOf: TypeAlias = Callable[..., str]
LONGEST_NAME: Final = "Wilhelmina Abigail van der Meulen"[:32]


@pytest.fixture
def subject_of(compose_email: ComposeEmail) -> SubjectOf:
    def compose_subject(kind: str, **changed_fields: Any) -> str:
        return str(compose_email(kind, **changed_fields)["Subject"])

    return compose_subject


def test_subjects_of_all_kinds_equal_their_golden_file(subject_of: SubjectOf) -> None:
    lines = [f"{kind:<20}{subject_of(kind)}\n" for kind in sorted(EMAIL_KINDS)]
    assert equals_golden_file(GOLDEN_FILE, "".join(lines))


def test_subject_of_a_turn_says_which_table_which_round_and_until_when(
    subject_of: SubjectOf,
) -> None:
    assert subject_of("your-turn") == "Your turn: Alice's table, round 1, until Tue 14:00"


@pytest.mark.parametrize(
    "zone, hours, when",
    [("UTC", 48, "Wed 12:00"), ("Asia/Tokyo", 48, "Wed 21:00"), ("UTC", 240, "12 Mar 12:00")],
)
def test_deadline_in_a_subject_is_in_the_zone_of_its_reader(
    email_context: EmailContexts, subject_of: SubjectOf, zone: str, hours: int, when: str
) -> None:
    subject = subject_of(
        "your-turn",
        envelope=email_context.envelope("your-turn", zone=zone),
        deadline_at=NOW + timedelta(hours=hours),
    )
    assert subject.endswith(f", until {when}")


def test_deadline_on_the_same_day_has_its_weekday_because_the_subject_is_read_later(
    subject_of: SubjectOf,
) -> None:
    subject = subject_of("your-turn", deadline_at=NOW + timedelta(hours=3))
    assert subject.endswith("until Mon 17:00")


@pytest.mark.parametrize(
    "hours, situation", [(12, "12 hours left"), (0.5, "30 minutes left"), (-1, "Time ran out")]
)
def test_reminder_begins_with_the_time_left(
    subject_of: SubjectOf, hours: float, situation: str
) -> None:
    subject = subject_of("reminder", deadline_at=NOW + timedelta(hours=hours))
    assert subject.startswith(f"{situation}: Alice's table, round 1")
    assert ("until" in subject) == (hours > 0)


@pytest.mark.parametrize("kind", GAME_KINDS)
def test_subject_is_short_with_the_longest_name(
    email_context: EmailContexts, subject_of: SubjectOf, kind: str
) -> None:
    subject = subject_of(kind, table=replace(email_context(kind).table, host=LONGEST_NAME))
    assert len(subject) <= MAX_SUBJECT_LENGTH
    assert "Wilhelmina" in subject or kind == "invitation"


def test_invitation_says_the_name_of_a_table_that_has_one(
    email_context: EmailContexts, subject_of: SubjectOf
) -> None:
    table = replace(email_context("invitation").table, table_name="Night shift")
    assert (
        subject_of("invitation", table=table) == "Alice invites you to play Saboteur: Night shift"
    )


def test_long_table_name_is_cut_and_the_deadline_stays(email_context: EmailContexts) -> None:
    table = email_context.table(host="Grandmother Wilhelmina of the Deep Old Copper Mines")
    subject = game_subject("Your turn", table, language_for("en"), "round 1", "until Thu 15:30")
    assert len(subject) <= MAX_SUBJECT_LENGTH
    assert subject.startswith("Your turn: Grandmother Wilhelmina")
    assert subject.endswith("…, round 1, until Thu 15:30")


@pytest.mark.parametrize("kind", GAME_KINDS)
@pytest.mark.parametrize(
    "name", ["Eve\r\nBcc: all@example.org", "Eve\x00\u202e", "=?utf-8?q?Eve?=", "Ēve"]
)
def test_name_of_a_host_cannot_break_out_of_a_subject(
    email_context: EmailContexts, compose_email: ComposeEmail, kind: str, name: str
) -> None:
    message = compose_email(kind, table=email_context.table(host=name))
    assert message["Bcc"] is None
    assert "\n" not in message["Subject"]
    assert "\u202e" not in message["Subject"]
    assert kind == "invitation" or "ve" in message["Subject"]
