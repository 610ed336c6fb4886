"""Sentences about a player's own absences: whole days have no times."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from webapp.kernel.i18n import language_for
from webapp.wording.times import absence_period_sentence

RIGA = ZoneInfo("Europe/Riga")
NOW = datetime(2026, 3, 2, 12, tzinfo=RIGA)


@pytest.mark.parametrize(
    "from_at, until_at, sentence",
    [
        (NOW, datetime(2026, 3, 6, tzinfo=RIGA), "Away until the end of Thu 5 Mar"),
        (NOW, datetime(2026, 3, 5, 18, tzinfo=RIGA), "Away until Thu 5 Mar, 18:00 EET"),
        (
            datetime(2026, 3, 28, tzinfo=RIGA),
            datetime(2026, 3, 30, tzinfo=RIGA),
            "Away from Sat 28 Mar until the end of Sun 29 Mar",
        ),
        (
            datetime(2026, 12, 30, 17, tzinfo=RIGA),
            datetime(2027, 1, 3, tzinfo=RIGA),
            "Away from Wed 30 Dec, 17:00 EET until the end of Sat, 2 Jan 2027",
        ),
    ],
)
def test_absence_of_whole_days_is_stated_without_times(
    from_at: datetime, until_at: datetime, sentence: str
) -> None:
    language = language_for("en")
    assert (
        absence_period_sentence(from_at, until_at, now=NOW, zone=RIGA, language=language)
        == sentence
    )
