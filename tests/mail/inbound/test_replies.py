"""What is read of answers as mail programs write them: `replies/` has one file for each way of quoting, encoding and introducing."""

from pathlib import Path
from textwrap import fill
from typing import Final

import pytest

from tests.support.engine.seeded_random import SeededRng
from tests.support.sizes import is_full_run
from webapp.mail.inbound.reading import MAX_LINE_LENGTH, ReceivedEmail, read_email

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


WRAPPED: Final = (
    "say I think that one of us has played three cards that help no one in a row last",
    "back in round one, and I would like to hear why that was necessary at all, my",
    "friend",
)
WHOLE: Final = " ".join(WRAPPED)


@pytest.mark.parametrize("introduction", ["", "discard 1; ", "lay 2 D5\n"])
def test_wrapped_talk_is_one_line(introduction: str) -> None:
    typed = f"{introduction}{WHOLE}".splitlines()
    wrapped = "\n".join(fill(line, 78) for line in typed)
    assert lines_of(f"{wrapped}\ndiscard 1\n\npass") == (*typed, "discard 1", "pass")


@pytest.mark.parametrize("width", [65, 70, 72, 74, 76, 78])
def test_talk_is_joined_wherever_mail_programs_wrap_it(width: int) -> None:
    assert lines_of(fill(WHOLE, width)) == (WHOLE,)


@pytest.mark.parametrize(
    "body",
    [
        "say hello\ndiscard 1",
        "say well played everyone, that was a really nice tunnel\ndiscard 1",
        f"{WRAPPED[0]}\n\nback",
        f"{WRAPPED[0]}\n> quoted\nback",
        f"say {'this line is not wrapped by any program ' * 4}\ndiscard 1",
        "lay 2 D5; break 3 Bob; repair me cart with 4; plan discard 5; status\ndiscard 1",
    ],
)
def test_deliberate_line_after_talk_is_a_command(body: str) -> None:
    typed = [line.strip() for line in body.splitlines() if line and not line.startswith(">")]
    assert lines_of(body) == tuple(typed)


def test_hard_line_end_of_flowed_text_ends_talk() -> None:
    raw = f"Content-Type: text/plain; format=flowed\n\n{WRAPPED[0]}\ndiscard 1\n"
    assert read(raw.encode()).lines == (WRAPPED[0], "discard 1")


@pytest.mark.parametrize(
    "html, lines",
    [
        (f"<div>{WHOLE}</div><div>discard 1</div>", (WHOLE, "discard 1")),
        ("<br>".join([*WRAPPED, "discard 1"]), (*WRAPPED, "discard 1")),
        ("<div>something else</div>", (WHOLE, "discard 1")),
    ],
)
def test_html_shows_where_talk_is_wrapped(html: str, lines: tuple[str, ...]) -> None:
    plain = "\n".join([*WRAPPED, "discard 1"])
    raw = (
        'Content-Type: multipart/alternative; boundary="b"\n\n'
        f"--b\nContent-Type: text/plain\n\n{plain}\n"
        f"--b\nContent-Type: text/html\n\n{html}\n--b--\n"
    )
    assert read(raw.encode()).lines == lines


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
        assert max(map(len, found.lines), default=0) <= MAX_LINE_LENGTH
