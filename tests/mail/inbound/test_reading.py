"""What is read of a received email: the lines that its sender has typed, as mail programs of many kinds write them, and nothing else."""

import resource
import sys
from base64 import b64encode
from typing import Final

import pytest

from tests.support.engine.seeded_random import SeededRng
from tests.support.sizes import is_full_run
from webapp.mail.inbound.authentication import is_authenticated
from webapp.mail.inbound.reading import MAX_LINE_LENGTH, MAX_SIZE, ReceivedEmail, read_email

MARKERS: Final = ("Reply above this line",)
SENT: Final = "--- Reply above this line ---\n\nIt's your turn, Alice\n\nlay 1 A1"
QUOTED: Final = "".join(f"> {line}\n" for line in SENT.splitlines())
HEADER: Final = (
    "From: Alice <alice@example.test>\nTo: reply+abc@lodepost.test\nSubject: Re: Your turn\n"
)


def lines_of(body: str, *, fields: str = "Content-Type: text/plain; charset=utf-8\n") -> list[str]:
    return list(read(f"{HEADER}{fields}\n{body}").lines)


def read(text: str | bytes) -> ReceivedEmail:
    raw = text if isinstance(text, bytes) else text.encode()
    return read_email(raw, markers=MARKERS)


BODIES: Final = {
    "Gmail": f"lay 2 D5\n\nOn Tue, 3 Mar 2026 at 14:00, Lodepost <lodepost@lodepost.test>\nwrote:\n\n{QUOTED}",
    "Gmail without a blank line": f"lay 2 D5\n\nOn Tue, 3 Mar 2026 at 14:00, Lodepost wrote:\n{QUOTED}",
    "Apple Mail": f"lay 2 D5\n\n> On 3 Mar 2026, at 14:00, Lodepost <lodepost@lodepost.test> wrote:\n> \n{QUOTED}",
    "Thunderbird, below the quotation": f"On 03/03/2026 14:00, Lodepost wrote:\n{QUOTED}\nlay 2 D5\n",
    "mutt, within the quotation": f"On Tue, Mar 03, 2026 at 02:00:00PM +0200, Lodepost wrote:\n> It's your turn, Alice\n\nlay 2 D5\n\n{QUOTED}",
    "K-9": f"lay 2 D5\n\n-------- Original Message --------\nFrom: Lodepost <lodepost@lodepost.test>\nSent: 3 March 2026 14:00\nTo: Alice\nSubject: Your turn\n\n{SENT}",
    "Office": f"lay 2 D5\n\n________________________________\nFrom: Lodepost <lodepost@lodepost.test>\nSent: Tuesday, March 3, 2026 2:00 PM\nTo: Alice\nSubject: Your turn\n\n{SENT}",
    "Office in German": f"lay 2 D5\n\nVon: Lodepost <lodepost@lodepost.test>\nGesendet: Dienstag, 3. März 2026 14:00\nAn: Alice\nBetreff: Your turn\n\n{SENT}",
    "Latvian": f"lay 2 D5\n\nOtrd., 2026. g. 3. marts, plkst. 14:00 — lietotājs Lodepost\n(<lodepost@lodepost.test>) rakstīja:\n\n{QUOTED}",
    "Ukrainian": f"lay 2 D5\n\n\u0432\u0442, 3 \u0431\u0435\u0440. 2026 \u0440. \u043e 14:00 Lodepost <lodepost@lodepost.test> \u043f\u0438\u0448\u0435:\n\n{QUOTED}",
    "Swedish": f"lay 2 D5\n\nDen tis 3 mars 2026 kl 14:00 skrev Lodepost <lodepost@lodepost.test>:\n\n{QUOTED}",
    "a program that doesn't quote": f"lay 2 D5\n\n{SENT}",
    "a signature": f"lay 2 D5\n-- \nAlice\n+371 20000000\n\n{QUOTED}",
    "invisible characters": "\ufeff\u200blay\u00a02 D\u200d5\u200e\n",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_only_what_the_sender_has_typed_is_read(body: str) -> None:
    assert lines_of(body)[0] == "lay 2 D5"
    assert not [line for line in lines_of(body)[1:] if "lay" in line or "turn" in line.lower()]


HTML_BODIES: Final = {
    "Gmail": '<div dir="ltr">lay 2 D5<br><div>say hi</div></div><br><div class="gmail_quote"><div class="gmail_attr">On Tue wrote:</div><blockquote>lay 1 A1</blockquote></div>',
    "Office": '<html><head><style>p {}</style></head><body><p>lay 2 D5</p><p>say hi</p><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Lodepost</div><div>lay 1 A1</div></body></html>',
    "Apple Mail": "<html><body>lay 2 D5<div>say hi</div><blockquote type='cite'><div>On 3 Mar, Lodepost wrote:</div><div>lay 1 A1</div></blockquote></body></html>",
    "hidden text": "<p>lay 2 D5</p><p>say hi</p><p style='display:none'>lay 1 A1</p><script>lay 1 A1</script>",
}


@pytest.mark.parametrize("html", HTML_BODIES.values(), ids=HTML_BODIES.keys())
def test_html_alone_is_read_as_text(html: str) -> None:
    fields = "Content-Type: text/html; charset=utf-8\n"
    assert lines_of(html, fields=fields) == ["lay 2 D5", "say hi"]


def test_text_is_preferred_to_html() -> None:
    fields = 'Content-Type: multipart/alternative; boundary="b"\n'
    body = "--b\nContent-Type: text/html\n\n<p>pass</p>\n--b\nContent-Type: text/plain\n\nlay 2 D5\n--b--\n"
    assert lines_of(body, fields=fields) == ["lay 2 D5"]


@pytest.mark.parametrize("charset", ["koi8-u", "iso-8859-4", "utf-16", "no-such-charset"])
def test_text_in_any_charset_is_read(charset: str) -> None:
    codec = "utf-8" if charset == "no-such-charset" else charset
    data = b64encode("break 3 Bob\n".encode(codec)).decode()
    fields = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n"
    assert lines_of(data, fields=fields) == ["break 3 Bob"]


def test_flowed_text_has_its_soft_line_ends_removed() -> None:
    fields = "Content-Type: text/plain; charset=utf-8; format=flowed\n"
    assert lines_of("say what a \nfine tunnel\n pass\n", fields=fields) == [
        "say what a fine tunnel",
        "pass",
    ]


@pytest.mark.parametrize(
    "field",
    [
        "Auto-Submitted: auto-replied",
        "Auto-Submitted: auto-generated; type=x",
        "Precedence: bulk",
        "Precedence: List",
        "List-Id: <players.example.test>",
        "X-Autoreply: yes",
        "X-Loop: alice@example.test",
        "Auto-Submitted: no\nAuto-Submitted: auto-replied",
        "Return-Path: <>",
        "From: MAILER-DAEMON@example.test",
        "Content-Type: multipart/report; report-type=delivery-status",
    ],
)
def test_what_a_program_has_written_is_automatic(field: str) -> None:
    header = "From: a@example.test\n" if not field.startswith("From") else ""
    assert read(f"{field}\n{header}\nlay 2 D5").is_automatic


def test_what_a_person_has_written_is_not_automatic() -> None:
    fields = "Return-Path: <alice@example.test>\nAuto-Submitted: no\n"
    assert not read(f"{fields}{HEADER}\nlay 2 D5").is_automatic


@pytest.mark.parametrize(
    "fields, sender",
    [
        ("From: Alice <alice@Example.TEST>", "alice@example.test"),
        ("From: alice@example.test", "alice@example.test"),
        ("From: =?utf-8?q?Al=C3=ADce?= <alice@example.test>", "alice@example.test"),
        ("From: a@example.test, b@example.test", ""),
        ("From: a@example.test\nFrom: b@example.test", ""),
        ("From: alice", ""),
        ("Sender: a@example.test", ""),
        ("From: <a@example.test\r\n b@example.test>", ""),
    ],
)
def test_sender_is_the_one_address_in_from(fields: str, sender: str) -> None:
    assert read(f"{fields}\n\npass").sender == sender


def nested(depth: int) -> bytes:
    parts = "".join(
        f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(depth)
    )
    return f"From: a@example.test\n{parts}Content-Type: text/plain\n\npass\n".encode()


HOSTILE: Final = {
    "nothing": b"",
    "nested": nested(1000),
    "one long line": b"From: a@example.test\n\n" + b"lay " * (MAX_SIZE // 2),
    "many fields": b"X: y\n" * 100_000 + b"\npass",
    "many parts": b'Content-Type: multipart/mixed; boundary="b"\n\n' + b"--b\n\npass\n" * 20_000,
    "no end of a quotation": b"From: a@example.test\n\n" + b"> " * 500_000,
    "colons": b"\n" + b"a: b\n" * 50_000,
    "rules": b"\n" + b"-" * 300_000,
    "tags": b"Content-Type: text/html\n\n" + b"<div><blockquote>" * 20_000,
    "null bytes": b"From: \0@example.test\n\n\0\0pass\0",
    "broken base64": b"Content-Transfer-Encoding: base64\n\n====A",
    "broken charset": b'Content-Type: text/plain; charset="\0\xff"\n\npass',
    "nested comments": b"From: " + b"(" * 4000 + b"a@example.test\n\npass",
    "nested groups": b"From: " + b"a:" * 2000 + b"a@example.test\n\npass",
    "blank lines before quotations": b"\n" + b"\n" * 100_000 + b">\n" * 100_000,
    "parameters without end": b'Content-Type: text/plain; a="' + b";" * 900_000 + b"\n\npass",
    "lines in nested parts": nested(900) + b"a\n" * 300_000,
    "small parts": b'Content-Type: multipart/mixed; boundary="b"\n\n' + b"--b\n\n" * 150_000,
    "parameter with a long number": b"Content-Type: text/plain; format*"
    + b"9" * 4050
    + b"=x\n\npass",
    "parameter with a longer number": b"Content-Type: text/plain; format*"
    + b"9" * 4400
    + b"=x\n\npass",
    "boundary with and without a number": b"Content-Type: multipart/mixed; boundary*=a; boundary*0=b\n\nx",
    "boundary in a charset that fails": b"Content-Type: multipart/mixed; boundary*=idna''b%ff\n\nx",
    "charset with a charset": b"Content-Type: text/plain; charset*=utf-8''utf-8\n\npass \xff",
    "null byte as a charset": b'Content-Type: text/plain; charset="\0"\n\npass \xff',
    "hidden document": b"Content-Type: text/html\n\n<html hidden>pass",
    "long character reference": b"Content-Type: text/html\n\n<p>&amp;#" + b"9" * 5000 + b";",
    "broken encoded words": b"From: =?utf-8?b?////?= <a@example.test>\nSubject: =?x?q?=\n\npass",
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_email_is_read_within_bounds(raw: bytes) -> None:
    found = read(raw)
    assert len(found.lines) <= 200
    assert max(map(len, found.lines), default=0) <= MAX_LINE_LENGTH


def test_text_before_a_part_that_fails_is_read() -> None:
    fields = 'Content-Type: multipart/mixed; boundary="b"\n'
    text = "--b\nContent-Type: text/plain\n\nlay 2 D5\n"
    for part in ("--b\nContent-Type: multipart/mixed; boundary*=idna''b%ff\n\nx\n", "--b\n\n" * 99):
        assert lines_of(text + part, fields=fields) == ["lay 2 D5"]


def test_codecs_of_python_are_no_charsets() -> None:
    for charset in ("punycode", "PUNYCODE", "unicode_escape", "raw-unicode-escape"):
        fields = f"Content-Type: text/plain; charset={charset}\n"
        assert lines_of("say a\\x41-", fields=fields) == ["say a\\x41-"]


def test_html_formatting_is_not_multiplied() -> None:
    opened = "".join(f"<b x={number}>" for number in range(1500))
    before = peak_memory()
    found = lines_of(f"<p>{opened}" + "<p>pass" * 1500, fields="Content-Type: text/html\n")
    assert found == ["pass"] * 200
    assert peak_memory() - before < 64 * 1024 * 1024


def peak_memory() -> int:
    """Return the most bytes that this process has had: the HTML parser's are not Python's."""
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("style", ["display:none", "display: none", "DISPLAY: None"])
def test_hidden_html_is_not_read(style: str) -> None:
    html = f"<p>say hi</p><a style='{style}'>pass</a><b hidden>pass</b>"
    assert lines_of(html, fields="Content-Type: text/html\n") == ["say hi"]


def test_character_references_of_html_are_decoded_once() -> None:
    html = "<p>say &lt;b&gt; &amp;lt;</p>"
    assert lines_of(html, fields="Content-Type: text/html\n") == ["say <b> &lt;"]


@pytest.mark.parametrize(
    "topmost", ["mx.test; dmarc=fail " + "(" * 3000, "mx.test; dmarc=fail (", "", "x" * 5000]
)
def test_results_below_one_that_cannot_be_read_count_for_nothing(topmost: str) -> None:
    field = "Authentication-Results: {}\n"
    passed = "mx.test; dmarc=pass header.from=example.test"
    email = read(f"{field.format(topmost)}{field.format(passed)}{HEADER}\npass")
    assert not is_authenticated(email, "mx.test")
    assert is_authenticated(read(f"{field.format(passed)}{HEADER}\npass"), "mx.test")


def test_damaged_emails_are_read() -> None:
    rng = SeededRng(27)
    originals = [f"{HEADER}\n{body}".encode() for body in BODIES.values()]
    originals += [f"Content-Type: text/html\n\n{body}".encode() for body in HTML_BODIES.values()]
    for _ in range(2000 if is_full_run() else 200):
        damaged = bytearray(originals[rng.below(len(originals))])
        for _ in range(1 + rng.below(30)):
            damaged[rng.below(len(damaged))] = rng.below(256)
        assert len(read(bytes(damaged)).lines) <= 200
