from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.utils import parseaddr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.mail import mime
from webapp.mail.mime import BadHeader

HOSTILE_VALUES = (
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


@pytest.mark.parametrize("name", HOSTILE_VALUES)
def test_display_name_cannot_break_out_of_its_header(name: str) -> None:
    header = mime.header_bytes([mime.mailbox_field("To", "anna@example.org", display_name=name)])
    message = message_from_bytes(header + b"body", policy=policy.default)
    assert message.keys() == ["To"]
    assert message.defects == []
    assert [address.addr_spec for address in message["To"].addresses] == ["anna@example.org"]
    assert message.get_payload() == "body"


@pytest.mark.parametrize("subject", HOSTILE_VALUES)
def test_subject_cannot_break_out_of_its_header(subject: str) -> None:
    header = mime.header_bytes([mime.text_field("Subject", subject)])
    message = message_from_bytes(header + b"body", policy=policy.default)
    assert message.keys() == ["Subject"]
    assert message["Subject"] == mime.plain_line(subject)
    assert message.get_payload() == "body"


@given(any_text)
def test_parser_reads_back_every_display_name(name: str) -> None:
    field = mime.mailbox_field("To", "anna@example.org", display_name=name)
    message = message_from_bytes(mime.header_bytes([field]) + b"body", policy=policy.default)
    (address,) = message["To"].addresses
    assert address.addr_spec == "anna@example.org"
    assert message.keys() == ["To"]
    assert decoded_display_name(field) == mime.plain_line(name)


def decoded_display_name(field: mime.HeaderField) -> str:
    """Return the display name as RFC 2047 6.2 says: the newer parser keeps the space between two encoded words."""
    parsed_name, _ = parseaddr(field[1].replace("\r\n", ""))
    return str(make_header(decode_header(parsed_name)))


@pytest.mark.parametrize(
    "text", ["0" * 16 + "¡" * 15, "0" * 10 + "¡" * 10 + "\U00011100", "ķ" * 200]
)
def test_encoded_words_fit_into_lines_of_76_characters(text: str) -> None:
    field = mime.mailbox_field("To", "anna@example.org", display_name=text)
    lines = mime.header_bytes([field, mime.text_field("Subject", text)]).split(b"\r\n")
    assert max(map(len, lines)) <= 76
    assert decoded_display_name(field) == text


@given(any_text)
def test_parser_reads_back_every_subject(subject: str) -> None:
    header = mime.header_bytes([mime.text_field("Subject", subject)])
    parsed_message = message_from_bytes(header, policy=policy.default)
    assert parsed_message["Subject"] == mime.plain_line(subject)


@given(any_text)
def test_header_lines_are_ascii_and_at_most_998_characters(text: str) -> None:
    to_field = mime.mailbox_field("To", "a@example.org", display_name=text)
    lines = mime.header_bytes([mime.text_field("Subject", text), to_field]).split(b"\r\n")
    assert all(len(line) <= 998 for line in lines)
    assert b"\n" not in b"".join(lines)
    assert b"\r" not in b"".join(lines)
    assert all(len(line) <= 76 for line in lines if b"=?utf-8?" in line)


@pytest.mark.parametrize("value", ["", "a\r\nb", "a\nb", "ā", "a\tb", "a" * 901, "\x7f"])
def test_ascii_field_rejects_values_that_need_encoding(value: str) -> None:
    with pytest.raises(BadHeader) as error_info:
        mime.ascii_field("List-Unsubscribe", value)
    assert error_info.value.name == "List-Unsubscribe"


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
def test_mailbox_field_rejects_addresses_that_mail_cannot_carry(address: str) -> None:
    with pytest.raises(BadHeader):
        mime.mailbox_field("To", address)


def test_long_ascii_field_stays_on_one_line() -> None:
    value = "<https://lodepost.example.org/u/" + "x" * 300 + ">"
    header = mime.header_bytes([mime.ascii_field("List-Unsubscribe", value)])
    assert header == f"List-Unsubscribe: {value}\r\n\r\n".encode()


def test_line_joining_keeps_zero_width_joiners() -> None:
    assert mime.plain_line("\u0646\u200c\u0647") == "\u0646\u200c\u0647"


def test_ascii_display_name_stays_readable_in_the_source() -> None:
    assert mime.mailbox_field("To", "a@example.org", display_name="Anna B.") == (
        "To",
        '"Anna B." <a@example.org>',
    )


def test_very_long_html_line_is_encoded() -> None:
    message = mime.message_bytes(
        mime.MessageParts(text="short\n", fields=(), html=f"<p>{'x' * 2000}</p>\n", boundary="=_b")
    )
    assert max(map(len, message.split(b"\r\n"))) <= 998
    assert b"quoted-printable" in message
