"""The blocks that an email's content is made of, and their plain text; `templates/email/blocks.html` has their HTML."""

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from webapp.kernel.i18n import ISOLATES

_DRAWING_WIDTH: Final = 640
_CARD_WIDTH: Final = 96
_LINE_WIDTH_CHARACTERS: Final = 72
"""Columns of the plain text: short enough to be quoted in a reply."""


class Picture(msgspec.Struct, frozen=True):
    """A picture in the HTML of an email: its name there, and its width in pixels, up to twice that on the screen."""

    name: str
    svg: str
    width: int


class Title(msgspec.Struct, frozen=True):
    """The first line of an email."""

    line: str

    def text(self) -> str:
        return wrap_sentences(self.line)


class Paragraph(msgspec.Struct, frozen=True):
    """One or more sentences."""

    sentences: str

    def text(self) -> str:
        return wrap_sentences(self.sentences)


class FinePrint(msgspec.Struct, frozen=True):
    """One or more sentences that hardly anyone needs."""

    sentences: str

    def text(self) -> str:
        return wrap_sentences(self.sentences)


class SmallLink(msgspec.Struct, frozen=True):
    """A link in fine print, to a page that explains something."""

    label: str
    url: str

    def text(self) -> str:
        return f"{self.label}: {self.url}"


class Notice(msgspec.Struct, frozen=True):
    """A sentence that must not be missed, such as the deadline."""

    sentence: str

    def text(self) -> str:
        return wrap_sentences(self.sentence)


class Saying(msgspec.Struct, frozen=True):
    """What one player said."""

    author: str
    text: str


class Talk(msgspec.Struct, frozen=True):
    """What players said: behind a bar on every line, so that nothing they type can pass for the server's words."""

    sayings: tuple[Saying, ...]

    def text(self) -> str:
        return "\n".join(
            f"| {line.join(ISOLATES)}"
            for saying in self.sayings
            for line in textwrap.wrap(f"{saying.author}: {saying.text}", _LINE_WIDTH_CHARACTERS - 4)
        )


class Heading(msgspec.Struct, frozen=True):
    """The title of a section; in plain text the next block follows without an empty line."""

    line: str

    def text(self) -> str:
        return f"{self.line}\n{'-' * len(self.line)}"


class BulletList(msgspec.Struct, frozen=True):
    """Items in no particular order."""

    items: tuple[str, ...]

    def text(self) -> str:
        return "\n".join(wrap_sentences(item, bullet="* ") for item in self.items)


class MarkedItem(msgspec.Struct, frozen=True):
    """A sentence about a turn, with the mark of the player whose turn it was."""

    sentence: str
    seat: int | None = None
    """The seat whose colour the mark has; None for sentences without a mark."""
    initials: str = ""


class MarkedList(msgspec.Struct, frozen=True):
    """Sentences in their order, each after its player's mark; in plain text the initials are in brackets."""

    items: tuple[MarkedItem, ...]

    def text(self) -> str:
        return "\n".join(
            wrap_sentences(
                item.sentence, bullet="* " if item.seat is None else f"* [{item.initials}] "
            )
            for item in self.items
        )


class NumberedList(msgspec.Struct, frozen=True):
    """Items counted from 1."""

    items: tuple[str, ...]

    def text(self) -> str:
        return "\n".join(
            wrap_sentences(item, bullet=f"{number}. ") for number, item in enumerate(self.items, 1)
        )


class Table(msgspec.Struct, frozen=True):
    """Rows under headings; in plain text the cells of all rows form columns."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        lines = (self.headings, *self.rows)
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )


class Button(msgspec.Struct, frozen=True):
    """The link to follow."""

    label: str
    url: str

    def text(self) -> str:
        return f"{self.label}: {self.url}"


class Link(msgspec.Struct, frozen=True):
    """A link beside the one to follow, to a page that explains something."""

    label: str
    url: str

    def text(self) -> str:
        return f"{self.label}: {self.url}"


class Drawing(msgspec.Struct, frozen=True):
    """A picture of the mine; in plain text it is drawn with characters."""

    text_drawing: str
    svg: str
    description: str
    """The same as sentences, for screen readers and for programs that show no pictures."""

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return (Picture("mine", self.svg, _DRAWING_WIDTH),)

    def text(self) -> str:
        return self.text_drawing.rstrip("\n")


class DrawingLegend(msgspec.Struct, frozen=True):
    """What the characters of a drawing mean; the picture in the HTML has none of them."""

    sentences: str

    def text(self) -> str:
        return wrap_sentences(self.sentences)


class HandCard(msgspec.Struct, frozen=True):
    """A card of the hand, and the page on which it is picked."""

    name: str
    code: str
    svg: str
    url: str

    @property
    def content_id(self) -> str:
        return f"card-{self.code}"


class Hand(msgspec.Struct, frozen=True):
    """The cards of the hand as small pictures, counted from 1 as commands name them."""

    cards: tuple[HandCard, ...]

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(Picture(card.content_id, card.svg, _CARD_WIDTH) for card in self.cards)

    def text(self) -> str:
        return "\n".join(f"{number}. {card.name}" for number, card in enumerate(self.cards, 1))


class SignInCode(msgspec.Struct, frozen=True):
    """Digits to be typed, shown large."""

    digits: str

    def text(self) -> str:
        return f"    {self.digits}"


class Code(msgspec.Struct, frozen=True):
    """Lines for programs, such as a record in hexadecimal."""

    lines: tuple[str, ...]

    def text(self) -> str:
        return "\n".join(self.lines)


class Attachment(msgspec.Struct, frozen=True):
    """A file that comes with the email, and the sentence that says so."""

    sentences: str
    name: str
    content: str
    """Plain ASCII text."""

    def text(self) -> str:
        return wrap_sentences(self.sentences)


class LabelledDigest(msgspec.Struct, frozen=True):
    """One digest and what it is of."""

    label: str
    digest: str


class DigestList(msgspec.Struct, frozen=True):
    """Digests, each under its label."""

    digests: tuple[LabelledDigest, ...]

    def text(self) -> str:
        return "\n".join(f"{digest.label}\n  {digest.digest}" for digest in self.digests)


class Choice(msgspec.Struct, frozen=True):
    """A legal action: as a phrase, as the command that can be sent back, and the page on which it is picked."""

    phrase: str
    command: str
    url: str
    description: str = ""
    """What the phrase leaves out."""


class PlaceRow(msgspec.Struct, frozen=True):
    """Actions that differ in one word alone, such as their cell; their phrases are this word."""

    lead: str
    """The text before them: the beginning of their commands, or of a sentence if answers are not read."""
    choices: tuple[Choice, ...]

    def text(self) -> str:
        return _indented(f"{self.lead} {', '.join(choice.phrase for choice in self.choices)}")


class ActionMenu(msgspec.Struct, frozen=True):
    """The legal actions with one card; ``card`` is empty for actions without a card."""

    card: str
    rows: tuple[PlaceRow, ...] = ()
    others: tuple[Choice, ...] = ()

    def text(self) -> str:
        width = max((len(choice.command) for choice in self.others), default=0)
        lines = [self.card] if self.card else []
        lines += [row.text() for row in self.rows]
        lines += [
            f"  {choice.command:<{width}}  {choice.phrase}" if width else f"  {choice.phrase}"
            for choice in self.others
        ]
        return "\n".join(lines)


def _indented(sentence: str) -> str:
    """Return a sentence as lines that are indented by two columns, which ``wrap_sentences`` does for bullets alone."""
    return textwrap.fill(
        sentence,
        _LINE_WIDTH_CHARACTERS,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


Block: TypeAlias = (
    Title
    | Paragraph
    | FinePrint
    | SmallLink
    | Notice
    | Talk
    | Heading
    | BulletList
    | MarkedList
    | NumberedList
    | Table
    | Button
    | Link
    | Drawing
    | DrawingLegend
    | Hand
    | SignInCode
    | Code
    | Attachment
    | DigestList
    | ActionMenu
)


class EmailContent(msgspec.Struct, frozen=True, kw_only=True):
    """All sentences of an email, ready to be rendered as plain text and as HTML."""

    subject: str
    preview: str
    """The line that inboxes show beside the subject."""
    blocks: Sequence[Block]
    footer: str
    """Why the recipient gets the email."""


def plain_text(blocks: Sequence[Block]) -> str:
    """Return the blocks as lines of at most 72 columns, except for what cannot be broken."""
    return "".join(
        block.text() + ("\n" if isinstance(block, Heading) else "\n\n") for block in blocks
    )


@lru_cache(maxsize=512)
def wrap_sentences(sentences: str, *, bullet: str = "") -> str:
    """Return the sentences as lines; the first one begins with the bullet and the others are indented under it."""
    if len(bullet) + len(sentences) <= _LINE_WIDTH_CHARACTERS:
        return bullet + sentences
    return textwrap.fill(
        sentences,
        _LINE_WIDTH_CHARACTERS,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )
