"""What is read of answers as mail programs write them: `replies/` has one file for each way of quoting, encoding and introducing."""

from pathlib import Path
from typing import Final

import pytest

from tests.support.engine.seeded_random import SeededRng
from tests.support.sizes import is_full_run
from webapp.mail.inbound.reading import ReceivedEmail, read_email

FOLDER: Final = Path(__file__).with_name("replies")
REPLIES: Final = sorted(FOLDER.glob("*.eml"))
COMMANDS: Final = ("lay 2 D5 turned", "say nice try")
WITH_FOOTER: Final = frozenset({"apple-mail-iphone-swedish", "office-mobile", "proton", "samsung"})
"""Here the mail program has added a line, which is kept: commands end at the first line that is none."""


def is_automatic(path: Path) -> bool:
    return path.stem.startswith("automatic-")


def read(raw: bytes) -> ReceivedEmail:
    return read_email(raw, markers=("Reply above this line",))


def lines_of(body: str, kind: str = "plain") -> tuple[str, ...]:
    return read(f"Content-Type: text/{kind}; charset=utf-8\n\n{body}".encode()).lines


@pytest.mark.parametrize(
    "path", [path for path in REPLIES if not is_automatic(path)], ids=lambda path: path.stem
)
def test_only_typed_lines_are_read(path: Path) -> None:
    email = read(path.read_bytes())
    typed = email.lines[:-1] if path.stem in WITH_FOOTER else email.lines
    assert typed == COMMANDS
    assert email.sender == "alice@example.com"
    assert not email.is_automatic


@pytest.mark.parametrize("path", [*filter(is_automatic, REPLIES)], ids=lambda path: path.stem)
def test_emails_that_programs_write_are_automatic(path: Path) -> None:
    assert read(path.read_bytes()).is_automatic


def test_replies_with_ends_of_lines_as_sent_are_read_alike() -> None:
    for path in REPLIES:
        raw = path.read_bytes()
        sent = read(raw.replace(b"\n", b"\r\n"))
        assert (sent.lines, sent.sender) == (read(raw).lines, read(raw).sender), path.stem


INTRODUCTION: Final = "On 3 Mar 2026, at 14:00, Lodepost wrote:"
TALK: Final = ("lay 2 D5", "say look:")


@pytest.mark.parametrize(
    "body",
    [
        f"lay 2 D5\nsay look:\n\n{INTRODUCTION}\n\n> x\n> y\n",
        f"lay 2 D5\nsay look:\n\n{INTRODUCTION}\n> x\n>\n\n> y\n",
        f"lay 2 D5\nsay look:\n\n> {INTRODUCTION}\n> x\n",
        f"{INTRODUCTION}\n> x\n\nlay 2 D5\nsay look:\n\n> y\n",
    ],
)
def test_talk_that_ends_with_a_colon_is_no_introduction(body: str) -> None:
    assert lines_of(body) == TALK


def test_talk_with_colons_is_no_quoted_header() -> None:
    typed = ("say Bob: hi", "say Eve: hi", "say Dan: hi", "lay 2 D5")
    assert lines_of("\n".join(typed)) == typed


def test_command_directly_above_an_introduction_is_read() -> None:
    assert lines_of(f"lay 2 D5\n{INTRODUCTION}\n> x\n") == ("lay 2 D5",)


def test_end_of_line_in_html_is_a_space() -> None:
    html = "<p>lay 2 D5\n   turned</p>\n<p>say nice<br>\npass</p>"
    assert lines_of(html, "html") == ("lay 2 D5 turned", "say nice", "pass")


def test_end_of_line_in_preformatted_html_is_kept() -> None:
    assert lines_of("<pre>lay 2 D5\nsay hi</pre>", "html") == ("lay 2 D5", "say hi")


def test_damaged_replies_are_read_within_bounds() -> None:
    rng = SeededRng(31)
    originals = [path.read_bytes() for path in REPLIES]
    for _ in range(5000 if is_full_run() else 300):
        damaged = bytearray(originals[rng.below(len(originals))])
        for _ in range(1 + rng.below(40)):
            damaged[rng.below(len(damaged))] = rng.below(256)
        start = rng.below(len(damaged))
        del damaged[start : start + rng.below(60)]
        found = read(bytes(damaged))
        assert len(found.lines) <= 200
        assert max(map(len, found.lines), default=0) <= 500
