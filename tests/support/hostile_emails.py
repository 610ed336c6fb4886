"""Emails that are malformed or hostile, in kinds: the same seed gives the same emails.

Each kind is a function of random numbers and of the address of the player whose turn it is. ``COMMAND`` always plays where it is read
and may act; so an email that has it shows that what hides it, or who it comes from, is noticed. ``REFUSED`` is read but never plays.
"""

import base64
from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from tests.support.engine.seeded_random import SeededRng

COMMAND: Final = b"discard 1"
REFUSED: Final = b"discard 99"
CANARY: Final = "zyzzyva"
"""A word in every header that a stranger could have written; no answer may repeat it."""
_MESSAGE_ID: Final = b"<%b@evil.test>" % CANARY.encode()
AUTHSERV_ID: Final = "mx.lodepost.test"
STRANGER: Final = b"mallory@evil.test"
_TEXT: Final = b"Content-Type: text/plain; charset=utf-8\r\n"
_HTML: Final = b"Content-Type: text/html; charset=utf-8\r\n"
_LARGE: Final = 20_000


class Recipient(StrEnum):
    """The token to which an email is sent: the player's own one for their turn unless the member says otherwise."""

    TURN = "turn"
    OTHER_PLAYER = "other player"
    OTHER_TURN = "other turn"
    ENDED_GAME = "ended game"
    LINK = "link"
    UNKNOWN = "unknown"


class Reaction(StrEnum):
    """What becomes of an email. Only PLAYED changes a game."""

    PLAYED = "played"
    ANSWERED = "answered"
    IGNORED = "ignored"
    REPORTED = "reported"
    """It comes from another address: the player reads that, unless it names no sender."""
    UNPLAYED = "unplayed"
    """Answered or not: what is left of it decides."""


class HostileEmail(NamedTuple):
    """An email as the mail server hands it over."""

    kind: str
    raw: bytes
    reaction: Reaction
    is_vouched: bool
    """Whether the receiver knows that the sender is the player, so that nothing but its content keeps it from playing."""
    recipient: Recipient


class _Draft(NamedTuple):
    raw: bytes
    reaction: Reaction = Reaction.ANSWERED
    is_vouched: bool = True
    recipient: Recipient = Recipient.TURN


_Kind: TypeAlias = Callable[[SeededRng, bytes], _Draft]
_KINDS: Final[dict[str, _Kind]] = {}
_CONTROLS: Final[dict[str, _Kind]] = {}


def hostile_email(number: int, address: str) -> HostileEmail:
    """Return one of the emails that play nothing; the kinds take turns."""
    return _nth(_KINDS, number, address)


def control_email(number: int, address: str) -> HostileEmail:
    """Return one of the emails that look odd and play."""
    return _nth(_CONTROLS, number, address)


def kind_count() -> int:
    return len(_KINDS)


def _nth(kinds: dict[str, _Kind], number: int, address: str) -> HostileEmail:
    name, create = list(kinds.items())[number % len(kinds)]
    draft = create(SeededRng(number), address.encode())
    unique_field = b"X-Number: %d\r\n" % number if draft.raw else b""
    raw = _with_first_field(draft.raw, unique_field)
    own_id = f"<{CANARY}-{name}-{number}@evil.test>".encode()
    return HostileEmail(name, raw.replace(_MESSAGE_ID, own_id), *draft[1:])


def _with_first_field(raw: bytes, field: bytes) -> bytes:
    """Make an email unique, unless it does not begin with a field."""
    return field + raw if raw.startswith((b"From:", b"Authentication-Results:")) else raw


def _kind(create: _Kind) -> _Kind:
    _KINDS[create.__name__.strip("_")] = create
    return create


def _control(create: _Kind) -> _Kind:
    _CONTROLS[create.__name__.strip("_")] = create
    return create


def _email(sender: bytes, body: bytes, *, fields: bytes = _TEXT) -> bytes:
    canary = CANARY.encode()
    return (
        b"From: %b\r\nTo: %b <reply@lodepost.test>\r\nSubject: Re: %b\r\nMessage-ID: %b\r\n%b\r\n%b\r\n"
        % (sender, canary, canary, _MESSAGE_ID, fields, body)
    )


def _part(body: bytes, fields: bytes = _TEXT, *, boundary: bytes = b"b") -> bytes:
    return b"--%b\r\n%b\r\n%b\r\n" % (boundary, fields, body)


def _multipart(*parts: bytes, boundary: bytes = b'boundary="b"') -> tuple[bytes, bytes]:
    return b"Content-Type: multipart/mixed; %b\r\n" % boundary, b"".join(parts)


def _multipart_email(address: bytes, *parts: bytes, boundary: bytes = b'boundary="b"') -> bytes:
    fields, body = _multipart(*parts, boundary=boundary)
    return _email(address, body, fields=fields)


def _nested(depth: int, text: bytes) -> tuple[bytes, bytes]:
    """Return the field and the body of a multipart within multiparts."""
    opened = b"".join(
        b'--b%d\r\nContent-Type: multipart/mixed; boundary="b%d"\r\n\r\n' % (level, level + 1)
        for level in range(depth)
    )
    body = opened + _part(text, boundary=b"b%d" % depth)
    return b'Content-Type: multipart/mixed; boundary="b0"\r\n', body


def _random_bytes(rng: SeededRng, size: int) -> bytes:
    return bytes(rng.below(256) for _ in range(size))


# The structure of an email


@_kind
def _multiparts_within_multiparts(rng: SeededRng, address: bytes) -> _Draft:
    fields, body = _nested(rng.pick((60, 300, 1000, 5000)), COMMAND)
    return _Draft(_email(address, body, fields=fields))


@_kind
def _messages_within_messages(rng: SeededRng, address: bytes) -> _Draft:
    body = b"Content-Type: message/rfc822\r\n\r\n" * rng.pick((1, 30, 900, 5000))
    return _Draft(
        _email(
            address, body + _TEXT + b"\r\n" + COMMAND, fields=b"Content-Type: message/rfc822\r\n"
        )
    )


@_kind
def _command_in_a_forwarded_message(_rng: SeededRng, address: bytes) -> _Draft:
    inner = _email(address, COMMAND)
    return _Draft(_multipart_email(address, _part(inner, b"Content-Type: message/rfc822\r\n")))


@_kind
def _multipart_without_end(_rng: SeededRng, address: bytes) -> _Draft:
    return _Draft(_multipart_email(address, _part(REFUSED), b"--b\r\nContent-Type: text/html"))


@_kind
def _other_boundary(rng: SeededRng, address: bytes) -> _Draft:
    boundary = rng.pick((b'boundary="c"', b"", b'boundary=""', b"boundary", b"boundary=b\0"))
    return _Draft(_multipart_email(address, _part(COMMAND), boundary=boundary))


@_kind
def _boundary_that_fails(rng: SeededRng, address: bytes) -> _Draft:
    boundaries = (
        b"boundary*=idna''b%ff",
        b"boundary*=\0''b",
        b"boundary*=a; boundary*0=b",
        b"boundary*" + b"9" * 4500 + b"=b",
        b"boundary*" + b"9" * 4050 + b"=b",
    )
    return _Draft(_multipart_email(address, _part(b"hello"), boundary=rng.pick(boundaries)))


@_kind
def _many_parts(rng: SeededRng, address: bytes) -> _Draft:
    parts = [b"--b\r\n\r\n\r\n"] * (100 + rng.below(5000))
    return _Draft(_multipart_email(address, *parts, _part(COMMAND)))


@_kind
def _attached_command(rng: SeededRng, address: bytes) -> _Draft:
    disposition = rng.pick((b"attachment", b"ATTACHMENT; filename=a.txt", b"attachment;;;"))
    fields = _TEXT + b"Content-Disposition: " + disposition + b"\r\n"
    return _Draft(_multipart_email(address, _part(COMMAND, fields)))


@_kind
def _delivery_status_of_many_blocks(rng: SeededRng, address: bytes) -> _Draft:
    fields = b"Content-Type: message/delivery-status\r\n"
    body = b"a: b\r\n\r\n" * (100 + rng.below(5000))
    return _Draft(_email(address, body, fields=fields), Reaction.IGNORED)


@_kind
def _ten_megabytes_in_a_line(rng: SeededRng, address: bytes) -> _Draft:
    words = rng.pick((b"lay ", b"x", b">", b"= ", b"discard 99 ", b"\0"))
    return _Draft(_email(address, words * (10 * 1024 * 1024 // len(words))))


@_kind
def _no_fields(_rng: SeededRng, _address: bytes) -> _Draft:
    return _Draft(b"\r\n" + COMMAND, Reaction.IGNORED)


@_kind
def _no_body(_rng: SeededRng, address: bytes) -> _Draft:
    return _Draft(b"From: " + address, Reaction.ANSWERED)


@_kind
def _nothing(_rng: SeededRng, _address: bytes) -> _Draft:
    return _Draft(b"", Reaction.IGNORED)


@_kind
def _random_email(rng: SeededRng, _address: bytes) -> _Draft:
    return _Draft(_random_bytes(rng, rng.below(2000)), Reaction.IGNORED)


@_kind
def _random_body(rng: SeededRng, address: bytes) -> _Draft:
    return _Draft(_email(address, _random_bytes(rng, rng.below(2000))))


@_kind
def _truncated(rng: SeededRng, address: bytes) -> _Draft:
    parts = _part(REFUSED), _part(b"<p>%b" % REFUSED, _HTML), b"--b--\r\n"
    raw = _multipart_email(b'"=?utf-8?q?A?=" <%b>' % address, *parts)
    return _Draft(raw[: rng.below(len(raw))], Reaction.UNPLAYED)


@_kind
def _damaged(rng: SeededRng, address: bytes) -> _Draft:
    raw = bytearray(_multipart_email(address, _part(REFUSED), _part(b"<p>hello", _HTML)))
    for _ in range(1 + rng.below(40)):
        raw[rng.below(len(raw))] = rng.pick(b"\0\r\n\t \"'();:<=>?@\\\x80\xff")
    return _Draft(bytes(raw), Reaction.UNPLAYED)


# Fields, charsets and encodings


@_kind
def _charset_that_fails(rng: SeededRng, address: bytes) -> _Draft:
    charsets = (
        *(b"x-unknown", b"hex", b"zlib", b"undefined", b"idna", b"punycode", b"unicode_escape"),
        *(b'"\0"', b'"\xff"', b'""', b"utf-7", b"utf-16", b"../../etc", b"a" * 3000),
    )
    fields = b"Content-Type: text/plain; charset=%b\r\n" % rng.pick(charsets)
    return _Draft(_email(address, REFUSED + b" \xff\xfe +2AA- \\ud800", fields=fields))


@_kind
def _parameter_that_fails(rng: SeededRng, address: bytes) -> _Draft:
    parameters = (
        *(b"charset*=utf-8''utf-8", b"charset*=\0''utf-8", b"charset*=idna''x%ff"),
        *(b"charset*=a; charset*0=b", b"format*=a; format*0=b", b"charset*0*=''%", b"charset*"),
        *(b"format*" + b"9" * 4040 + b"=x", b"charset*" + b"9" * 4500 + b"=x", b'a="\\'),
    )
    fields = b"Content-Type: text/plain; %b\r\n" % rng.pick(parameters)
    return _Draft(_email(address, REFUSED + b" \xff", fields=fields))


@_kind
def _many_parameters(rng: SeededRng, address: bytes) -> _Draft:
    parameter = rng.pick((b";", b'; a="', b"; a=b", b"; a*0=b", b';"', b'\\";'))
    fields = b'Content-Type: text/plain; a="%b\r\n' % (parameter * _LARGE)
    return _Draft(_email(address, REFUSED, fields=fields))


@_kind
def _encoding_that_fails(rng: SeededRng, address: bytes) -> _Draft:
    encoding, body = rng.pick(
        (
            *((b"base64", b"====A"), (b"base64", b"ZGlzY2FyZA" + b"=" * 999), (b"base64", b"\xff")),
            *((b"quoted-printable", b"=" * 5000), (b"quoted-printable", b"=0=ZZ=\xff=")),
            *((b"uuencode", b"begin 644 x\n!!!!\x80\nM\n"), (b"x-uue", b"begin 999 x\nzzzz\n")),
            *((b"x-unknown", REFUSED), (b"\0", REFUSED), (b"\xff", REFUSED)),
        )
    )
    fields = _TEXT + b"Content-Transfer-Encoding: %b\r\n" % encoding
    return _Draft(_email(address, body, fields=fields))


@_kind
def _encoded_words_that_fail(rng: SeededRng, address: bytes) -> _Draft:
    words = (
        *(b"=?utf-8?b?////?=", b"=?x?q?=", b"=?utf-8?q?=ZZ?=", b"=?\0?b?AAAA?=", b"=?" * 1000),
        b"=?utf-8?q?x=0D=0ABcc:_%b=40evil.test?=" % CANARY.encode(),
    )
    return _Draft(_email(b"%b <%b>" % (rng.pick(words), address), REFUSED))


@_kind
def _line_ends_in_fields(rng: SeededRng, address: bytes) -> _Draft:
    end = rng.pick((b"\r", b"\n", b"\r\n", b"\0", b"\r\n\r\n", b"\x0b", b"\x85", "\u2028".encode()))
    name = b'"A%bBcc: %b@evil.test" <%b>' % (end, CANARY.encode(), address)
    return _Draft(_email(name, REFUSED), Reaction.UNPLAYED)


@_kind
def _line_ends_in_commands(rng: SeededRng, address: bytes) -> _Draft:
    end = rng.pick((b"\r", b"\n", b"\r\n\r\n", b"\x0b", b"\x0c", b"\xc2\x85", "\u2028".encode()))
    # A bare CR ends no line (RFC 5322, 2.3), so the answer quotes both as one.
    reaction = Reaction.UNPLAYED if end == b"\r" else Reaction.ANSWERED
    return _Draft(_email(address, REFUSED + end + b"Bcc: %b@evil.test" % CANARY.encode()), reaction)


@_kind
def _null_bytes(rng: SeededRng, address: bytes) -> _Draft:
    body = rng.pick((b"dis\0card 99", b"\0" * 5000, b"discard \x001\x009", b"\0discard 99\0"))
    return _Draft(_email(address, body))


@_kind
def _many_fields(rng: SeededRng, address: bytes) -> _Draft:
    field = rng.pick((b"X: y\r\n", b"X:\r\n y\r\n", b"Received: \xff\r\n", b": x\r\n"))
    return _Draft(_email(address, COMMAND, fields=field * _LARGE), is_vouched=False)


# Who has sent it


@_kind
def _forged_sender(rng: SeededRng, address: bytes) -> _Draft:
    local_part = address.partition(b"@")[0]
    senders = (
        *(b"%b, %b", b"%b, <%b>", b"%b <%b>", b'"%b" <%b>', b"x:%b,%b;", b"(%b) %b", b"<%b> <%b>"),
        *(b"%b\r\nFrom: %b", b"%b\r\nFROM: %b", b"=?utf-8?q?%b?= <%b>", b"%b%b", b"<%b,%b>"),
    )
    return (
        _Draft(_email(rng.pick(senders) % (address, STRANGER), COMMAND), Reaction.REPORTED)
        if (rng.below(4))
        else _Draft(_email(b"%b@evil.test" % local_part, COMMAND), Reaction.REPORTED)
    )


@_kind
def _lookalike_sender(rng: SeededRng, address: bytes) -> _Draft:
    local_part, _, domain = address.decode().partition("@")
    lookalikes = (
        address.decode().replace("a", "\u0430"),
        f"{local_part}@{domain.replace('s', chr(0x17F))}",
        f"{local_part}@{domain.replace('.', chr(0x3002))}",
        f"{local_part}\u200b@{domain}",
        f"{local_part}\uff20{domain}",
        f"{local_part}@{domain}.evil.test",
        f"{local_part}+x@{domain}",
        f"=?utf-8?q?{local_part}?=@{domain}",
    )
    return _Draft(_email(rng.pick(lookalikes).encode(), COMMAND), Reaction.REPORTED)


@_kind
def _sender_that_fails(rng: SeededRng, address: bytes) -> _Draft:
    size = rng.pick((900, 3000, _LARGE))
    filling = rng.pick((b"(", b"a:", b",", b'"', b"[", b"\\", b"@a,", b"a@b,", b"\xff", b";"))
    return _Draft(
        _email(filling * size + b"," + STRANGER, COMMAND, fields=b"Sender: " + address + b"\r\n"),
        Reaction.REPORTED,
    )


@_kind
def _results_of_other_servers(rng: SeededRng, address: bytes) -> _Draft:
    passed = b"; dmarc=pass header.from=" + address.partition(b"@")[2]
    own = AUTHSERV_ID.encode()
    identifiers = (
        *(b"mx.other.test", own + b".evil.test", b"evil." + own, own[:-1], own + b"\0", b'"', b""),
        *(b"mx.other.test (%b)" % own, b"mx.other.test; none", b"(%b)" % own),
        *(b"mx.\xffother.test", b"(" * 900, b"(" * 3000, b"mx.other.test 2", b"mx.other.test " * 9),
    )
    field = b"Authentication-Results: " + rng.pick(identifiers) + passed + b"\r\n"
    fields = field * rng.pick((1, 3, 1000)) + _TEXT
    return _Draft(_email(address, COMMAND, fields=fields), is_vouched=False)


@_kind
def _results_that_prove_nothing(rng: SeededRng, address: bytes) -> _Draft:
    domain = address.partition(b"@")[2]
    results = (
        *(b"dmarc=fail header.from=%b", b"dmarc=none header.from=%b", b"dkim=pass header.d=%b"),
        *(b"dmarc=fail (dmarc=pass header.from=%b)", b"dmarc=pass header.from=%b.evil.test"),
        *(b'spf=fail reason="; dmarc=pass header.from=%b"', b"dmarc=pass smtp.from=%b"),
        *(b"dmarc=pass header.from=evil.test header.from=%b", b"dmarc=pass policy.from=%b"),
        *(
            b"dmarc=pass\0 header.from=%b",
            b"dmarc=passed header.from=%b",
            b"x-dmarc=pass header.from=%b",
        ),
    )
    field = b"Authentication-Results: %b; %b\r\n" % (
        AUTHSERV_ID.encode(),
        rng.pick(results) % domain,
    )
    return _Draft(field + _email(address, COMMAND), is_vouched=False)


@_kind
def _forged_results_below_own(rng: SeededRng, address: bytes) -> _Draft:
    own = AUTHSERV_ID.encode()
    passed = b"%b; dmarc=pass header.from=%b" % (own, address.partition(b"@")[2])
    topmost = (
        own + b"; dmarc=fail",
        own + b"; none",
        own + b"; dmarc=fail (" + b"(" * rng.pick((1, 900)),
        own + b"; dmarc=fail" + b" reason=x" * 1000,
        own + b" 2; dmarc=fail",
    )
    fields = (b"Authentication-Results: %b\r\n" * 2) % (rng.pick(topmost), passed)
    return _Draft(fields + _email(address, COMMAND), is_vouched=False)


@_kind
def _results_in_the_wrong_place(rng: SeededRng, address: bytes) -> _Draft:
    field = b"Authentication-Results: %b; dmarc=pass header.from=%b\r\n" % (
        AUTHSERV_ID.encode(),
        address.partition(b"@")[2],
    )
    fields, body = rng.pick(
        (
            (_TEXT, field + COMMAND),
            (b"X: y\r\n " + field, COMMAND),
            (b"ARC-" + field, COMMAND),
            (b"X-" + field, COMMAND),
            (_TEXT + b"\r\n" + field, COMMAND),
            (field.replace(b":", b" :", 1), COMMAND),
        )
    )
    return _Draft(_email(address, body, fields=fields), is_vouched=False)


@_kind
def _other_token(rng: SeededRng, address: bytes) -> _Draft:
    recipient, reaction = rng.pick(
        (
            (Recipient.OTHER_PLAYER, Reaction.REPORTED),
            (Recipient.OTHER_TURN, Reaction.ANSWERED),
            (Recipient.ENDED_GAME, Reaction.ANSWERED),
            (Recipient.LINK, Reaction.IGNORED),
            (Recipient.UNKNOWN, Reaction.IGNORED),
        )
    )
    return _Draft(_email(address, COMMAND), reaction, recipient=recipient)


# What programs write


@_kind
def _automatic_field(rng: SeededRng, address: bytes) -> _Draft:
    field = rng.pick(
        (
            *(
                b"Auto-Submitted: auto-replied",
                b"auto-submitted:AUTO-GENERATED;x=y",
                b"Auto-Submitted:",
            ),
            *(b"Auto-Submitted: no\r\nAuto-Submitted: auto-replied", b"Precedence: bulk"),
            *(b"Precedence: JUNK", b"Precedence: auto_reply", b"List-Id: <x>", b"X-Loop: x"),
            *(b"X-Autoreply: yes", b"X-Autorespond: x", b"Return-Path: <>", b"Return-Path:\t<> "),
        )
    )
    return _Draft(_email(address, COMMAND, fields=field + b"\r\n" + _TEXT), Reaction.IGNORED)


@_kind
def _automatic_sender(rng: SeededRng, _address: bytes) -> _Draft:
    sender = rng.pick(
        (
            *(b"MAILER-DAEMON@example.test", b"Postmaster <postmaster@example.test>", b"<>", b""),
            *(b"reply@lodepost.test", b"lodepost@lodepost.test", b"no-reply@example.test"),
        )
    )
    return _Draft(_email(sender, COMMAND), Reaction.IGNORED)


@_kind
def _delivery_report(rng: SeededRng, address: bytes) -> _Draft:
    kind = rng.pick((b"delivery-status", b"disposition-notification", b"feedback-report"))
    fields = b'Content-Type: multipart/report; report-type=%b; boundary="b"\r\n' % kind
    return _Draft(_email(address, _part(COMMAND), fields=fields), Reaction.IGNORED)


@_kind
def _out_of_office(rng: SeededRng, address: bytes) -> _Draft:
    subject = rng.pick(
        (
            *("Out of office", "Automatische Antwort", "R\u00e9ponse automatique", "Autosvar"),
            *("Autom\u0101tisk\u0101 atbilde", "Automatinis atsakymas", "Automaatvastus"),
            "\u0410\u0432\u0442\u043e\u043c\u0430\u0442\u0438\u0447\u043d\u0430 \u0432\u0456\u0434\u043f\u043e\u0432\u0456\u0434\u044c",
        )
    )
    word = b"=?utf-8?b?%b?=" % base64.b64encode(subject.encode())
    fields = b"Subject: %b\r\nAuto-Submitted: auto-replied (vacation)\r\n" % word
    return _Draft(_email(address, COMMAND, fields=fields + _TEXT), Reaction.IGNORED)


# HTML


@_kind
def _deep_html(rng: SeededRng, address: bytes) -> _Draft:
    tag = rng.pick(
        (b"<div>", b"<blockquote>", b"<table><tr><td>", b"<span>", b"<ul><li>", b"<svg>")
    )
    return _Draft(
        _email(address, tag * (_LARGE // len(tag)) + COMMAND, fields=_HTML),
        Reaction.UNPLAYED,
        is_vouched=False,
    )


@_kind
def _huge_html(rng: SeededRng, address: bytes) -> _Draft:
    filling = rng.pick((b"<br>", b"<!--", b"<", b"&", b"<a b=c>", b"<p hidden>", b"</p>", b"x"))
    return _Draft(_email(address, filling * 50_000 + COMMAND, fields=_HTML), is_vouched=False)


@_kind
def _formatting_that_multiplies(rng: SeededRng, address: bytes) -> _Draft:
    tag = rng.pick((b"b", b"FONT", b"a", b"i", b"nobr", b"tt"))
    opened = b"".join(b"<%b x=%d>" % (tag, number) for number in range(2000))
    return _Draft(_email(address, b"<p>" + opened + b"<p>x" * 2000, fields=_HTML))


@_kind
def _command_hidden_in_html(rng: SeededRng, address: bytes) -> _Draft:
    hidden = (
        *(b"<p style='display:none'>%b</p>", b'<b STYLE="Display: None">%b</b>', b"<!-- %b -->"),
        *(b"<style>%b</style>", b"<script>%b</script>", b"<title>%b</title>", b"<p hidden>%b</p>"),
        *(
            b"<html hidden>%b",
            b"<body hidden>%b",
            b"<blockquote>%b<blockquote>x",
            b"<p title='%b'>",
        ),
        *(b"<html class=gmail_quote>%b", b"<template>%b</template>", b"<hr><p>%b</p>"),
        *(b"<div class='gmail_quote'><blockquote>%b</blockquote></div>", b"<svg><style><style>%b"),
    )
    return _Draft(_email(address, rng.pick(hidden) % COMMAND, fields=_HTML))


@_kind
def _html_character_that_fails(rng: SeededRng, address: bytes) -> _Draft:
    number = rng.pick((b"9" * 5000, b"xD800", b"0", b"x" + b"F" * 5000, b"x110000", b"-1"))
    prefix = rng.pick((b"&#", b"&amp;#", b"&amp;amp;#"))
    return _Draft(_email(address, b"<p>%b%b;</p>" % (prefix, number), fields=_HTML))


# Commands


@_kind
def _quoted_command(rng: SeededRng, address: bytes) -> _Draft:
    body = rng.pick(
        (
            *(b"> %b", b" \xe2\x80\x8b> %b", b"-- \r\n%b", b"Reply above this line\r\n%b"),
            b"From: x\r\nSent: y\r\nTo: z\r\n\r\n%b",
            b"----- Original -----\r\nFrom: x\r\nTo: y\r\n\r\n%b",
        )
    )
    return _Draft(_email(address, body % COMMAND))


@_kind
def _unusual_characters(rng: SeededRng, address: bytes) -> _Draft:
    characters = (
        "\u200b\u200d\u202e\u2066\ufeff\u0301\u0338\ufdfa\u00b2\ud7ff\U000e0001\u3164\u0000"
    )
    typed = "".join(rng.pick(characters) + rng.pick("discard 99") for _ in range(rng.below(900)))
    return _Draft(_email(address, REFUSED + typed.encode()))


@_kind
def _numbers_that_fail(rng: SeededRng, address: bytes) -> _Draft:
    number = rng.pick(
        (
            "9" * 480,
            "-1",
            "0",
            "1e9",
            "0x1",
            "\u1369",
            "\u2460\u2460\u2460\u2460",
            "\u0661" * 480,
            "\u00bd",
            "1_0",
            "\u4e00",
        )
    )
    command = rng.pick(
        ("discard {}", "break 1 seat {}", "lay 1 A{}", "gold {}", "map {}", "lay {} A 1")
    )
    return _Draft(_email(address, command.format(number).encode()))


@_kind
def _many_commands(rng: SeededRng, address: bytes) -> _Draft:
    separator = rng.pick((b"\r\n", b";", b" then ", b"\n\n"))
    return _Draft(_email(address, separator.join([REFUSED] * 10_000)))


@_kind
def _many_unproven_commands(_rng: SeededRng, address: bytes) -> _Draft:
    commands = COMMAND, b"say hello", b"undo", b"pass", b"status", b"help"
    return _Draft(_email(address, b"\r\n".join(commands * 5)), is_vouched=False)


@_kind
def _long_runs(rng: SeededRng, address: bytes) -> _Draft:
    run = rng.pick(
        (b" ", b">", b"-", b":", b"_", b"=", b"\t", b"- ", b"a: b\n", b"\n", b"\n>", b"On 1:\n\n>")
    )
    runs = run * (_LARGE // len(run)), rng.pick((b"", b"x", b"\n", b":", b"\n>")) * 2000
    return _Draft(_email(address, b"hello\n" + b"".join(runs) + b"x"))


@_kind
def _flowed_text(rng: SeededRng, address: bytes) -> _Draft:
    fields = b"Content-Type: text/plain; charset=utf-8; format=flowed\r\n"
    line = rng.pick((b" \r\n", b"a \r\n", b"> \r\n", b"-- \r\n", b"  > \r\n"))
    return _Draft(_email(address, line * (_LARGE // len(line)), fields=fields))


# Emails that play


@_control
def _plain_answer(_rng: SeededRng, address: bytes) -> _Draft:
    return _Draft(_email(address, COMMAND), Reaction.PLAYED)


@_control
def _own_results_above_forged_ones(_rng: SeededRng, address: bytes) -> _Draft:
    own = b"%b; dmarc=pass header.from=%b" % (AUTHSERV_ID.encode(), address.partition(b"@")[2])
    field = b"Authentication-Results: %b\r\n"
    forged = field % (AUTHSERV_ID.encode() + b"; dmarc=fail") + field % b"(" * 900
    return _Draft(
        field % own + forged + _email(address, COMMAND), Reaction.PLAYED, is_vouched=False
    )


@_control
def _invisible_characters(_rng: SeededRng, address: bytes) -> _Draft:
    return _Draft(
        _email(address, "\u202e\ufeffdis\u200bcard\u00a0\u2460\u200f".encode()), Reaction.PLAYED
    )


@_control
def _ten_thousand_commands(_rng: SeededRng, address: bytes) -> _Draft:
    return _Draft(_email(address, COMMAND + b"\r\ndiscard 1" * 9_999), Reaction.PLAYED)


@_control
def _nested_text(_rng: SeededRng, address: bytes) -> _Draft:
    fields, body = _nested(20, COMMAND)
    return _Draft(_email(address, body, fields=fields), Reaction.PLAYED)


@_control
def _text_before_too_many_parts(_rng: SeededRng, address: bytes) -> _Draft:
    return _Draft(
        _multipart_email(address, _part(COMMAND), *[_part(REFUSED)] * 500), Reaction.PLAYED
    )


@_control
def _visible_html(_rng: SeededRng, address: bytes) -> _Draft:
    body = b"<p hidden>say hello</p><b x=1><b x=2>" + COMMAND + b"<p style='display:none'>pass"
    return _Draft(_email(address, body, fields=_HTML), Reaction.PLAYED)


@_control
def _text_in_an_unknown_charset(_rng: SeededRng, address: bytes) -> _Draft:
    fields = (
        b"Content-Type: text/plain; charset*=nonsense''x\r\nContent-Transfer-Encoding: base64\r\n"
    )
    return _Draft(_email(address, base64.b64encode(COMMAND), fields=fields), Reaction.PLAYED)
