import mailbox
import os
import signal
import subprocess
import sys
import time
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from webapp.mail.transport import MaildirTransport, RenderedEmail, Unreachable

ROOT = Path(__file__).parents[2]
MESSAGE = b"Subject: hello\r\nMessage-ID: <1@lodepost.test>\r\n\r\nFrom the mine\r\n.\r\n"
EMAIL = RenderedEmail(
    "anna@example.org", ("bounce+1@lodepost.test", "lodepost@lodepost.test"), MESSAGE
)


def messages_in(folder: Path) -> list[bytes]:
    maildir = mailbox.Maildir(folder, create=False)
    return [maildir.get_bytes(key) for key in maildir.iterkeys()]


def test_filed_message_has_its_envelope_on_top(tmp_path: Path) -> None:
    MaildirTransport(tmp_path / "data" / "mail").send(EMAIL)
    (filed_message,) = messages_in(tmp_path / "data" / "mail")
    message = message_from_bytes(filed_message, policy=policy.default)
    assert message["Return-Path"] == "<bounce+1@lodepost.test>"
    assert message["Delivered-To"] == "anna@example.org"
    assert message["Subject"] == "hello"
    assert filed_message.endswith(MESSAGE.replace(b"\r\n", b"\n"))


def test_folder_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    MaildirTransport(tmp_path / "mail").send(EMAIL)
    assert (tmp_path / "mail").stat().st_mode & 0o077 == 0


def test_unwritable_folder_counts_as_unreachable(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("in the way")
    with pytest.raises(Unreachable):
        MaildirTransport(tmp_path / "mail").send(EMAIL)


def test_closing_the_transport_deletes_old_incomplete_files(tmp_path: Path) -> None:
    transport = MaildirTransport(tmp_path)
    transport.send(EMAIL)
    old_file, young_file = tmp_path / "tmp" / "old", tmp_path / "tmp" / "young"
    old_file.touch()
    young_file.touch()
    two_days_ago = time.time() - 48 * 3600
    os.utime(old_file, (two_days_ago, two_days_ago))
    transport.close()
    assert [old_file.exists(), young_file.exists()] == [False, True]
    assert len(messages_in(tmp_path)) == 1


def test_closing_an_unused_transport_creates_no_folder(tmp_path: Path) -> None:
    MaildirTransport(tmp_path / "mail").close()
    assert not (tmp_path / "mail").exists()


FILING_SCRIPT = """
import sys
from pathlib import Path
from webapp.mail.transport import MaildirTransport
from webapp.mail.transport import RenderedEmail
transport = MaildirTransport(Path(sys.argv[1]))
body = b"Subject: hello\\r\\n\\r\\n" + b"digging\\r\\n" * 20000 + b"the end\\r\\n"
while True:
    transport.send(RenderedEmail("anna@example.org", ("lodepost@lodepost.test",), body))
    print("filed", flush=True)
"""


def test_killed_process_leaves_only_complete_messages(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FILING_SCRIPT, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        reported_lines = [process.stdout.readline() for _ in range(5)]
        time.sleep(0.013)
        process.send_signal(signal.SIGKILL)
        reported_lines += process.stdout.readlines()
    filed_messages = messages_in(tmp_path)
    assert len(filed_messages) >= reported_lines.count("filed\n") >= 5
    assert all(message.endswith(b"the end\n") for message in filed_messages)
