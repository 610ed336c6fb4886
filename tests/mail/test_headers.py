from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.utils import parseaddr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.mail import headers
from webapp.mail.headers import BadHeader

HOSTILE = (
    "Anna\r\nBcc: mallory@example.org",
    "Anna\nSubject: owned",
    "Anna\r\n\r\nA body",
    'Anna" <mallory@example.org>, "',
    "Anna, Bob <mallory@example.org>",
    "(a comment) Anna; group:",
    "=?utf-8?q?=0D=0ABcc:_mallory=40example.org?=",
    "Anna\u2028Bcc: mallory@example.org",
    "\u202eannA",
    "\x00\x1b[31mAnna\x7f",
    "\\",
    '"',
    "ā" * 300,
    "a" * 3000,
)
any_text = st.text(alphabet=st.characters(codec="utf-8"), max_size=200)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_breaks_out_of_its_header(name: str) -> None:
    message = message_from_bytes(
        headers.written([headers.mailbox("To", "anna@example.org", called=name)]) + b"body",
        policy=policy.default,
    )
    assert message.keys() == ["To"]
    assert message.defects == []
    assert [address.addr_spec for address in message["To"].addresses] == ["anna@example.org"]
    assert message.get_payload() == "body"


@pytest.mark.parametrize("subject", HOSTILE)
def test_no_subject_breaks_out_of_its_header(subject: str) -> None:
    written = headers.written([headers.text("Subject", subject)])
    message = message_from_bytes(written + b"body", policy=policy.default)
    assert message.keys() == ["Subject"]
    assert message["Subject"] == headers.one_line(subject)
    assert message.get_payload() == "body"


@given(any_text)
def test_every_name_comes_back_as_it_was_said(name: str) -> None:
    field = headers.mailbox("To", "anna@example.org", called=name)
    message = message_from_bytes(headers.written([field]) + b"body", policy=policy.default)
    (address,) = message["To"].addresses
    assert address.addr_spec == "anna@example.org"
    assert message.keys() == ["To"]
    assert called(field) == headers.one_line(name)


def called(field: headers.Field) -> str:
    """The name in a mailbox, read as RFC 2047 6.2 says: the newer parser keeps the space between two encoded words."""
    phrase, _ = parseaddr(field[1].replace("\r\n", ""))
    return str(make_header(decode_header(phrase)))


@pytest.mark.parametrize(
    "text", ["0" * 16 + "¡" * 15, "0" * 10 + "¡" * 10 + "\U00011100", "ķ" * 200]
)
def test_what_fills_a_line_is_folded_before_the_line_is_too_long(text: str) -> None:
    field = headers.mailbox("To", "anna@example.org", called=text)
    lines = headers.written([field, headers.text("Subject", text)]).split(b"\r\n")
    assert max(map(len, lines)) <= 76
    assert called(field) == text


@given(any_text)
def test_every_subject_comes_back_as_it_was_said(subject: str) -> None:
    written = headers.written([headers.text("Subject", subject)])
    assert message_from_bytes(written, policy=policy.default)["Subject"] == headers.one_line(
        subject
    )


@given(any_text)
def test_lines_are_ascii_and_short_enough_for_every_relay(text: str) -> None:
    written = headers.written(
        [headers.text("Subject", text), headers.mailbox("To", "a@example.org", called=text)]
    )
    lines = written.split(b"\r\n")
    assert all(len(line) <= 998 for line in lines)
    assert b"\n" not in b"".join(lines)
    assert b"\r" not in b"".join(lines)
    assert all(len(line) <= 76 for line in lines if b"=?utf-8?" in line)


@pytest.mark.parametrize(
    "value",
    ["", "a\r\nb", "a\nb", "ā", "a\tb", "a" * 901, "\x7f"],
)
def test_a_field_for_programs_is_plain_or_refused(value: str) -> None:
    with pytest.raises(BadHeader) as refused:
        headers.token("List-Unsubscribe", value)
    assert refused.value.name == "List-Unsubscribe"


@pytest.mark.parametrize(
    "address",
    [
        "anna",
        "anna@example.org\r\nBcc: mallory@example.org",
        "anna@example.org, mallory@example.org",
        "<anna@example.org>",
        "anna @example.org",
        "ānna@example.org",
        "anna@example.org;",
        "(anna)@example.org",
    ],
)
def test_an_address_that_mail_cannot_carry_is_refused(address: str) -> None:
    with pytest.raises(BadHeader):
        headers.mailbox("To", address)


def test_a_long_field_for_programs_stays_on_one_line() -> None:
    value = "<https://lodepost.example.org/u/" + "x" * 300 + ">"
    written = headers.written([headers.token("List-Unsubscribe", value)])
    assert written == f"List-Unsubscribe: {value}\r\n\r\n".encode()


def test_joiners_stay_in_names_that_need_them() -> None:
    assert headers.one_line("\u0646\u200c\u0647") == "\u0646\u200c\u0647"


def test_a_plain_name_stays_readable_in_the_source() -> None:
    assert headers.mailbox("To", "a@example.org", called="Anna B.") == (
        "To",
        '"Anna B." <a@example.org>',
    )
