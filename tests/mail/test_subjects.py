"""Subjects say what the situation is and at which table; they stay short, and no name breaks out of them."""

from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.email_contexts import EMAIL_KINDS, NOW, email_context, envelope_for
from tests.support.email_parts import table_summary
from tests.support.fakes import parse_message
from tests.support.golden import equals_golden_file
from webapp.i18n import language_for
from webapp.mail.compose import Composer
from webapp.mail.subjects import MAX_SUBJECT_LENGTH, game_subject
from webapp.services.email_kinds import NotificationKind

COMPOSER: Final = Composer(
    base_url="https://lodepost.example", mail_from="lodepost@lodepost.example"
)
GOLDEN_FILE: Final = Path(__file__).with_name("golden") / "subjects.txt"
TABLE_KINDS: Final = tuple(kind for kind in EMAIL_KINDS if hasattr(email_context(kind), "table"))
LONGEST_NAME: Final = "Wilhelmina Abigail van der Meulen"[:32]


def compose_email(kind: NotificationKind, **changed_fields: Any) -> EmailMessage:
    return parse_message(COMPOSER.compose(email_context(kind, **changed_fields), now=NOW))


def subject_of(kind: NotificationKind, **changed_fields: Any) -> str:
    return str(compose_email(kind, **changed_fields)["Subject"])


def test_subjects_of_all_kinds_equal_their_golden_file() -> None:
    lines = [f"{kind:<20}{subject_of(kind)}\n" for kind in EMAIL_KINDS]
    assert equals_golden_file(GOLDEN_FILE, "".join(lines))


def test_subject_of_a_turn_says_which_table_which_round_and_until_when() -> None:
    assert subject_of("your-turn") == "Your turn: Bob's table, round 1, until Thu 15:30"


@pytest.mark.parametrize(
    "zone, hours, when",
    [("UTC", 48, "Thu 12:30"), ("Asia/Tokyo", 48, "Thu 21:30"), ("UTC", 240, "15 May 12:30")],
)
def test_deadline_in_a_subject_is_in_the_zone_of_its_reader(
    zone: str, hours: int, when: str
) -> None:
    subject = subject_of(
        "your-turn",
        envelope=envelope_for("your-turn", zone=zone),
        deadline_at=NOW + timedelta(hours=hours),
    )
    assert subject.endswith(f", until {when}")


def test_deadline_on_the_same_day_has_its_weekday_because_the_subject_is_read_later() -> None:
    subject = subject_of("your-turn", deadline_at=NOW + timedelta(hours=3))
    assert subject.endswith("until Tue 18:30")


@pytest.mark.parametrize(
    "hours, situation", [(12, "12 hours left"), (0.5, "30 minutes left"), (-1, "Time ran out")]
)
def test_reminder_begins_with_the_time_left(hours: float, situation: str) -> None:
    subject = subject_of("reminder", deadline_at=NOW + timedelta(hours=hours))
    assert subject.startswith(f"{situation}: Bob's table, round 1")
    assert ("until" in subject) == (hours > 0)


@pytest.mark.parametrize("kind", TABLE_KINDS)
def test_subject_is_short_with_the_longest_name(kind: NotificationKind) -> None:
    table = email_context(kind).table  # type: ignore[union-attr]
    longer = {"host": LONGEST_NAME, "slug": table.slug}
    subject = subject_of(kind, table=table_summary(**longer))
    assert len(subject) <= MAX_SUBJECT_LENGTH
    assert "Wilhelmina" in subject or kind == "invitation"


def test_long_table_name_is_cut_and_the_deadline_stays() -> None:
    table = table_summary(host="Grandmother Wilhelmina of the Deep Old Copper Mines")
    subject = game_subject("Your turn", table, language_for("en"), "round 1", "until Thu 15:30")
    assert len(subject) <= MAX_SUBJECT_LENGTH
    assert subject.startswith("Your turn: Grandmother Wilhelmina")
    assert subject.endswith("…, round 1, until Thu 15:30")


@pytest.mark.parametrize("kind", TABLE_KINDS)
@pytest.mark.parametrize(
    "name", ["Eve\r\nBcc: all@example.org", "Eve\x00\u202e", "=?utf-8?q?Eve?=", "Ēve"]
)
def test_name_of_a_host_cannot_break_out_of_a_subject(kind: NotificationKind, name: str) -> None:
    message = compose_email(kind, table=table_summary(host=name))
    assert message["Bcc"] is None
    assert "\n" not in message["Subject"]
    assert "\u202e" not in message["Subject"]
    assert kind == "invitation" or "ve" in message["Subject"]
