"""Events of the log: operators search for their names."""

from pathlib import Path
from typing import get_args

from webapp.logs.fields import LogEvent

ROOT = Path(__file__).parents[2]


def test_every_event_is_explained_to_operators() -> None:
    guide = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    explained_events = {
        line.split("`")[1] for line in guide.splitlines() if line.startswith("| `") and "`" in line
    }
    assert set(get_args(LogEvent)) <= explained_events
