"""Signatures of emails are checked with the keys in the DNS, and count as the DMARC record of the domain in From allows."""

from typing import Final

import pytest

from tests.support.signed_emails import Dns, signed
from webapp.mail.inbound.authentication import is_signed_by

MESSAGE: Final = (
    b"From: Alice <alice@my-mail.example>\r\nTo: reply+x@lodepost.test\r\n"
    b"Subject: Re: Your turn\r\n\r\ndiscard 1\r\n"
)
RELAXED: Final = "v=DMARC1; p=none"
STRICT: Final = "v=DMARC1; p=reject; adkim=s"


@pytest.mark.parametrize("record", [None, RELAXED, STRICT])
def test_signature_of_the_domain_itself_counts(record: str | None) -> None:
    dns = Dns({} if record is None else {"_dmarc.my-mail.example": record})
    assert is_signed_by(signed(MESSAGE, "my-mail.example"), "my-mail.example", dns.texts)


@pytest.mark.parametrize(
    "signer, record, expected",
    [
        ("news.my-mail.example", RELAXED, True),
        ("news.my-mail.example", STRICT, False),
        ("news.my-mail.example", None, False),
        ("news.my-mail.example", "v=spf1 -all", False),
        ("other.example", RELAXED, False),
        ("notmy-mail.example", RELAXED, False),
        ("example", RELAXED, False),
    ],
)
def test_another_domain_counts_only_within_the_organization(
    signer: str, record: str | None, *, expected: bool
) -> None:
    dns = Dns({} if record is None else {"_dmarc.my-mail.example": record})
    assert is_signed_by(signed(MESSAGE, signer), "my-mail.example", dns.texts) is expected


def test_two_customers_of_one_registry_are_no_organization() -> None:
    message = MESSAGE.replace(b"my-mail.example", b"alice.co.uk")
    dns = Dns({"_dmarc.alice.co.uk": RELAXED, "_dmarc.co.uk": RELAXED})
    assert not is_signed_by(signed(message, "eve.co.uk"), "alice.co.uk", dns.texts)


@pytest.mark.parametrize(
    "before, after",
    [
        (b"discard 1", b"discard 2"),
        (b"From: Alice <alice@my-mail.example>", b"From: Bob <bob@my-mail.example>"),
        (b"To: reply+x@", b"To: reply+y@"),
        (b"From: Alice", b"From: bob@my-mail.example\r\nFrom: Alice"),
    ],
)
def test_signature_of_a_changed_email_counts_for_nothing(before: bytes, after: bytes) -> None:
    raw = signed(MESSAGE, "my-mail.example")
    assert before in raw
    assert not is_signed_by(raw.replace(before, after, 1), "my-mail.example", Dns({}).texts)


def test_signature_that_leaves_room_for_more_text_counts_for_nothing() -> None:
    raw = signed(MESSAGE, "my-mail.example", length=True)
    assert not is_signed_by(raw, "my-mail.example", Dns({}).texts)


def test_any_of_several_signatures_may_count() -> None:
    broken = b"DKIM-Signature: v=1; a=rsa-sha256; rubbish\r\n"
    raw = broken + signed(signed(MESSAGE, "my-mail.example"), "list.example")
    assert is_signed_by(raw, "my-mail.example", Dns({}).texts)


@pytest.mark.parametrize("raw", [b"", MESSAGE, b"DKIM-Signature: v=1\r\n" + MESSAGE, b"\xff\r\n"])
def test_email_without_a_valid_signature_is_not_proven(raw: bytes) -> None:
    assert not is_signed_by(raw, "my-mail.example", Dns({}).texts)


def test_nothing_is_proven_while_no_name_server_answers() -> None:
    dns = Dns({}, is_away=True)
    assert not is_signed_by(signed(MESSAGE, "my-mail.example"), "my-mail.example", dns.texts)
