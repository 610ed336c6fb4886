"""Reads a received email: its sender by its own account, whether a program has written it, and the lines that its sender has typed.

Never fails, whatever the bytes are, and takes time in proportion to their number. HTML is read as text and never rendered.
"""

import codecs
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from email.message import Message
from email.parser import BytesFeedParser
from email.policy import Compat32, Policy
from email.utils import collapse_rfc2231_value, getaddresses
from functools import cache
from itertools import islice, pairwise, takewhile
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from webapp.kernel.redacted import Redacted
from webapp.mail.reply_commands import ends_with_talk

MAX_SIZE: Final = 1024 * 1024
_MAX_HTML_LENGTH: Final = 200_000
"""Characters of HTML that are read: what is typed comes first, and deeply nested elements take quadratic time."""
_MAX_PARTS: Final = 50
_MAX_LINES: Final = 200
MAX_LINE_LENGTH: Final = 1000
"""Characters of a line; enough to find out that a message to the table is too long."""
_MAX_FIELDS: Final = 1000
_MAX_FIELD_LENGTH: Final = 4096
"""Characters of a field; a longer one is read as empty, because the standard library takes quadratic time for parameters."""
_CHUNK_SIZE: Final = 8192
_MAX_ATTRIBUTION_LINES: Final = 3
_HEADER_LENGTH: Final = 3
_QUOTE: Final = re.compile(r"\s*>")
_RULE: Final = re.compile(r"\s*[-_=*\u2013\u2014]{5,}|\s*-{2,}\s?[^-]{1,60}-{2,}\s*$")
_HEADER_LINE: Final = re.compile(r"\s*\*?[^\s:>][^:>]{0,30}:\*?\s\S")
_END_OF_HEADER: Final = re.compile(rb"\n\r?\n")
_MAX_HEADER_SIZE: Final = 65_536
"""Bytes at the beginning of an email in which its Message-ID is."""
_BARE_CR: Final = re.compile(rb"\r(?!\n)")
_WHEN_OR_WHO: Final = re.compile(r"\d{4}|\d[:.]\d\d|@")
"""A year, a time or an address: what introduces a quotation contains one, and a command does not."""
_WRAPPED_LENGTH: Final = 60
"""The length from which mail programs may have wrapped a line: its characters with the next word."""
_LONG_LINE: Final = 60
"""The length from which a line of talk may have been wrapped, whatever the next word, in characters."""
_WRAP_COLUMN: Final = 72
"""The first column at which mail programs wrap lines; some wrap further to the right."""
_MAX_WRAPPED_LENGTH: Final = 80
"""Characters of a line that was wrapped; a longer one was typed as it is."""
_HTML_SPACES: Final = re.compile(r"[ \t\n\f\r]+")
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_SLOW_CHARSETS: Final = frozenset({"punycode", "unicode-escape", "raw-unicode-escape"})
"""Codecs of Python that no mail program writes; the first takes quadratic time."""
_FORMATTING_TAG: Final = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)
"""Elements that an HTML parser opens again in each paragraph in which they are not closed: n of them take n² elements."""
_DROPPED_ELEMENTS: Final = (
    "head, style, script, title, blockquote, .gmail_quote, .gmail_attr, .moz-cite-prefix, .yahoo_quoted, .protonmail_quote, "
    "[hidden], [style*='display:none' i], [style*='display: none' i]"
)
_QUOTE_STARTS: Final = "#divRplyFwdMsg, #appendonsend, hr"
"""What Microsoft's mail programs put before the email that is answered; all that follows is quoted."""
_LINE_ELEMENTS: Final = "br, div, p, li, tr, h1, h2, h3, h4, pre, table, ul, ol"
_AUTOMATIC_SENDERS: Final = frozenset(
    {
        "mailer-daemon",
        "postmaster",
        "noreply",
        "no-reply",
        "donotreply",
        "do-not-reply",
        "bounce",
        "bounces",
    }
)
_BULK: Final = frozenset({"bulk", "list", "junk", "auto_reply"})


class ReceivedEmail(Redacted, frozen=True, kw_only=True):
    """The parts of an email that count."""

    sender: str
    """The address in From; empty unless there is exactly one."""
    authentication_results: tuple[str, ...]
    """The values of Authentication-Results, topmost first."""
    is_automatic: bool
    """Whether a program has written it, so that it must not be answered (RFC 3834 2)."""
    lines: tuple[str, ...]
    """What the sender has typed, without quotations and signature."""


def read_email(raw: bytes, *, markers: Collection[str]) -> ReceivedEmail:
    """Return what counts of an email; ``markers`` are the lines above which answers are typed, in all languages."""
    # Mail servers and signatures take a bare CR for a character, the standard library for the end of a line: it could hide another From.
    message = parsed_message(_BARE_CR.sub(b" ", raw[:MAX_SIZE]))
    fields = [(name.lower(), str(value)) for name, value in message.items()[:_MAX_FIELDS]]
    sender = _sender([str(value) for value in message.get_all("from", [])])
    return ReceivedEmail(
        sender=sender,
        authentication_results=tuple(
            " ".join(value.split()) for value in _values(fields, "authentication-results")
        ),
        is_automatic=_is_automatic(message, fields, sender),
        lines=tuple(_typed_lines(_body_of(message), markers)),
    )


class _BoundedFields(Compat32):
    """Reads fields that are too long as empty ones."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value if len(value) <= _MAX_FIELD_LENGTH else ""


_POLICY: Final = _BoundedFields()


class _TooManyParts(ValueError):
    """An email has more parts than are read."""


class _PartFactory:
    """Creates the message of each part for the parser, up to a limit: each costs memory, and time in each line within it."""

    def __init__(self) -> None:
        self.parts: list[Message] = []

    def __call__(self, policy: Policy = _POLICY) -> Message:
        if len(self.parts) > _MAX_PARTS:
            raise _TooManyParts
        self.parts.append(Message(policy))
        return self.parts[-1]


def parsed_message(raw: bytes) -> Message:
    """Return the message, with the parts before the first that the standard library can't parse; never fails."""
    factory = _PartFactory()
    parser = BytesFeedParser(factory, policy=_POLICY)
    # The parser has tried the factory; the next part is the whole email.
    factory.parts.clear()
    try:
        for start in range(0, len(raw), _CHUNK_SIZE):
            parser.feed(raw[start : start + _CHUNK_SIZE])
        return parser.close()
    except (RecursionError, TypeError, ValueError):
        return factory.parts[0]


def message_id_in(raw: bytes) -> str:
    """Return the Message-ID of an email; empty unless it has exactly one that can be read."""
    end = _END_OF_HEADER.search(raw, 0, _MAX_HEADER_SIZE)
    header = raw[: _MAX_HEADER_SIZE if end is None else end.end()]
    values = parsed_message(_BARE_CR.sub(b" ", header)).get_all("message-id", [])
    return str(values[0]).strip() if len(values) == 1 else ""


def _values(fields: Sequence[tuple[str, str]], *names: str) -> list[str]:
    return [value for name, value in fields if name in names]


def addresses_in(values: Sequence[str]) -> list[str]:
    """Return the addresses in header fields; none if they can't be read."""
    try:
        return [address for _, address in getaddresses(values) if address]
    except RecursionError:
        return []


def _sender(values: Sequence[str]) -> str:
    addresses = addresses_in(values)
    if len(values) != 1 or len(addresses) != 1:
        return ""
    local_part, at, domain = addresses[0].rpartition("@")
    return f"{local_part}@{domain.lower()}" if at and local_part and domain else ""


def _is_automatic(message: Message, fields: Sequence[tuple[str, str]], sender: str) -> bool:
    submitted = _values(fields, "auto-submitted")
    by_name = {name: value.strip().lower() for name, value in reversed(fields)}
    return (
        any(value.partition(";")[0].strip().lower() != "no" for value in submitted)
        or by_name.get("precedence", "") in _BULK
        or any(
            name in by_name
            for name in ("list-id", "x-autoreply", "x-autorespond", "x-auto-reply", "x-loop")
        )
        or by_name.get("x-auto-response-suppress", "none") != "none"
        or by_name.get("return-path", "") == "<>"
        or sender.partition("@")[0].lower() in _AUTOMATIC_SENDERS
        or message.get_content_type() in {"multipart/report", "message/delivery-status"}
    )


class _Body(NamedTuple):
    """The text of a message, and what helps to find out where a mail program has wrapped its lines."""

    text: str
    may_be_wrapped: bool = False
    html: str = ""
    """The same text as HTML, in which no line is wrapped; empty if the email has none."""


def _body_of(message: Message) -> _Body:
    """Return the first text of a message; the text in its HTML if there is no other."""
    plain = None
    html = ""
    for part in islice(_parts(message), _MAX_PARTS):
        kind = part.get_content_type()
        if part.get_content_disposition() == "attachment":
            continue
        if kind == "text/plain" and plain is None:
            is_flowed = _parameter(part, "format") == "flowed"
            text = _decoded(part)
            if text.strip():
                plain = _Body(_unfolded(text) if is_flowed else text, may_be_wrapped=not is_flowed)
        elif kind == "text/html" and not html:
            html = _decoded(part)
    return _Body(_text_of_html(html)) if plain is None else plain._replace(html=html)


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts that are no multiparts, without recursion: messages can be nested as deeply as they like."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            payload = list(part.get_payload())
            waiting.extend(each for each in reversed(payload) if isinstance(each, Message))
        else:
            yield part


def _parameter(part: Message, name: str) -> str:
    """Return a parameter of Content-Type; empty if there is none that the standard library can read."""
    try:
        return collapse_rfc2231_value(part.get_param(name, ""))
    except (TypeError, ValueError):
        return ""


def _decoded(part: Message) -> str:
    charset = _parameter(part, "charset")
    # The standard library decodes with the charset too, and fails for some names.
    del part["Content-Type"]
    try:
        payload = part.get_payload(decode=True)
    except ValueError:
        payload = b""
    data = payload if isinstance(payload, bytes) else b""
    try:
        if codecs.lookup(charset).name not in _SLOW_CHARSETS:
            return data.decode(charset, "replace")
    except (LookupError, ValueError):
        pass
    return data.decode("utf-8", "replace")


def _unfolded(text: str) -> str:
    """Return text in which soft line ends are gone (RFC 3676), except in quotations."""
    pieces: list[str] = []
    is_soft = False
    for line in text.splitlines():
        own = line.removeprefix(" ")
        if pieces and not (is_soft and not own.startswith(">")):
            pieces.append("\n")
        pieces.append(own)
        is_soft = own.endswith(" ") and not own.startswith(">") and own != "-- "
    return "".join(pieces)


def _text_of_html(html: str) -> str:
    if not html:
        return ""
    html = html[:_MAX_HTML_LENGTH]
    # Mail programs wrap the source, where an end of a line is a space.
    html = html if "<pre" in html.lower() else _HTML_SPACES.sub(" ", html)
    tree = LexborHTMLParser(_FORMATTING_TAG.sub(r"<\1span", html))
    start = tree.css_first(_QUOTE_STARTS)
    while start is not None and start.next is not None:
        start.next.decompose()
    # Elements within others come first: those others destroy them.
    for node in reversed(tree.css(_DROPPED_ELEMENTS)):
        if node.tag == "html":
            return ""
        node.decompose()
    for node in tree.css(_LINE_ELEMENTS):
        if node.tag != "br":
            node.insert_before("\n")
        node.insert_after("\n")
    return tree.body.text(separator="") if tree.body else ""


def _typed_lines(body: _Body, markers: Collection[str]) -> Iterator[str]:
    """Yield what the sender has typed, line by line; a message to the table is one line, even if a mail program has wrapped it."""
    lines = [line.strip() for line in _own_lines(body.text, markers)]
    # Nothing but the place of blank lines counts.
    lines = [line for before, line in pairwise(["", *lines]) if before or line]
    yield from islice(_with_whole_talk(lines[: 2 * _MAX_LINES], _wrap_finder(body)), _MAX_LINES)


def _with_whole_talk(
    lines: Sequence[str], is_wrapped_between: Callable[[str, str], bool]
) -> Iterator[str]:
    """Yield the lines that are not blank, with those joined that are one message to the table."""
    whole = ""
    for before, line in pairwise(["", *lines, ""]):
        if before and line and ends_with_talk(whole) and is_wrapped_between(before, line):
            whole = f"{whole} {line}"[:MAX_LINE_LENGTH]
            continue
        if whole:
            yield whole
        whole = line


def _wrap_finder(body: _Body) -> Callable[[str, str], bool]:
    """Return a function that says whether a mail program has wrapped a line of talk before the next one.

    The HTML of the email shows it; without HTML, lines are so long as mail programs make them.
    """

    @cache
    def html_lines() -> list[str]:
        lines = map(_cleaned, _text_of_html(body.html).splitlines())
        return [" ".join(line.split()) for line in lines]

    def is_wrapped_between(line: str, following: str) -> bool:
        if not body.may_be_wrapped:
            return False
        line, following = " ".join(line.split()), " ".join(following.split())
        if any(f"{line} {following}" in each for each in html_lines()):
            return True
        if any(each.startswith(following) for each in html_lines()):
            return False
        with_next_word = len(line) + 1 + len(following.partition(" ")[0])
        is_long = len(line) >= _LONG_LINE or with_next_word > _WRAP_COLUMN
        return is_long and len(line) <= _MAX_WRAPPED_LENGTH

    return is_wrapped_between


def _own_lines(text: str, markers: Collection[str]) -> Sequence[str]:
    """Return what the sender has typed: no quotations, nothing below the marker, no lines that introduce either, no signature."""
    lines = [_cleaned(line) for line in text[:MAX_SIZE].splitlines()]
    kept: list[str] = []
    is_signature = is_quoted = False
    for index, line in enumerate(lines):
        if _QUOTE.match(line):
            # Only the first quotation is introduced; its other lines, and later ones, follow what was typed.
            if not is_quoted:
                _drop_attribution(kept)
            # What is typed below a quotation does not continue what is typed above it.
            kept.append("")
            is_quoted, is_signature = True, False
        elif any(marker in line for marker in markers) or _begins_header_block(lines, index):
            if not is_quoted:
                _drop_attribution(kept)
            break
        elif line in {"--", "-- "}:
            is_signature = True
        elif not is_signature:
            kept.append(line)
    return kept


def _cleaned(line: str) -> str:
    normalized = unicodedata.normalize("NFKC", _INVISIBLE.sub("", line[: 4 * MAX_LINE_LENGTH]))
    printable = "".join(character if character.isprintable() else " " for character in normalized)
    return printable[:MAX_LINE_LENGTH].rstrip()


def _drop_attribution(kept: list[str]) -> None:
    """Remove the line that introduces a quotation, such as "On Tuesday, Lodepost wrote:"; mail programs wrap it."""
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    # One blank line is enough; each would be counted again at the next quotation.
    del kept[end + 1 :]
    if not end or not kept[end - 1].rstrip().endswith(":"):
        return
    start = end - 1
    while start and kept[start - 1].strip() and end - start < _MAX_ATTRIBUTION_LINES:
        if _WHEN_OR_WHO.search(" ".join(kept[start:end])) and not _is_wrapped(
            *kept[start - 1 : start + 1]
        ):
            break
        start -= 1
    if _WHEN_OR_WHO.search(" ".join(kept[start:end])) or start == end - 1:
        del kept[start:]


def _is_wrapped(line: str, following: str) -> bool:
    """Return whether a mail program may have moved the first word of the following line out of this one."""
    return len(line) + len(following.split(maxsplit=1)[0]) >= _WRAPPED_LENGTH


def _begins_header_block(lines: Sequence[str], index: int) -> bool:
    """Return whether a quoted header begins here, as some mail programs write it in any language: three fields in a row, or two after a rule."""
    is_rule = bool(_RULE.match(lines[index]))
    following = lines[index + is_rule : index + _HEADER_LENGTH]
    fields = list(takewhile(_HEADER_LINE.match, following))
    # Fields differ in their first words; several things that are said begin with the same one.
    first_words = {line.split()[0] for line in fields}
    return is_rule + len(fields) == _HEADER_LENGTH and len(first_words) == len(fields)
