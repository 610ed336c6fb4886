from pathlib import Path

import pytest

from tasks import bot_turns, deadlines, delivery, housekeeping
from tasks.context import transport_for, worker_context_for
from webapp.kernel.config import settings_from
from webapp.mail.smtp import SmtpTransport
from webapp.mail.transport import MaildirTransport


@pytest.mark.parametrize(
    "smtp_url, kind", [("", MaildirTransport), ("smtp://127.0.0.1:9", SmtpTransport)]
)
def test_settings_choose_the_transport(smtp_url: str, kind: type[object], tmp_path: Path) -> None:
    settings = settings_from({"SMTP_URL": smtp_url, "DATA_DIR": str(tmp_path)})
    assert isinstance(transport_for(settings), kind)


def test_every_job_runs_with_a_context_made_from_settings(
    database_url: str, tmp_path: Path
) -> None:
    settings = settings_from(
        {"DATABASE_URL": database_url, "SECRET_KEY": "k" * 32, "DATA_DIR": str(tmp_path)}
    )
    worker = worker_context_for(settings, is_stopping=lambda: False, nudge=lambda _: None)
    delivery.deliver(worker)
    deadlines.sweep_deadlines(worker)
    bot_turns.play_bots(worker)
    housekeeping.report_delays(worker)
    assert 0 <= worker.random_below(6) < 6
    worker.close()
