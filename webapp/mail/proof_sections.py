"""Sections of emails that a player keeps to check the finished game against: the deal record, and the fingerprint of the turns."""

from collections.abc import Iterator
from typing import Final

from webapp import urls
from webapp.i18n import Language
from webapp.mail.blocks import Block, Code, Heading, Link, Paragraph
from webapp.mail.sections import EmailLocale
from webapp.services.notifications.email_context import DealtContext, GameOverContext, TurnContext
from webapp.wording.fingerprints import grouped_digits, short_head

_HEX_DIGITS_PER_LINE: Final = 64


def deal_record_section(context: DealtContext, language: Language) -> Iterator[Block]:
    """Yield what was frozen before the deal, and its hash."""
    digits = context.record.hex()
    line_starts = range(0, len(digits), _HEX_DIGITS_PER_LINE)
    yield Heading(language.gettext("The deal record"))
    yield Paragraph(
        language.gettext("Every shuffle depends on a secret and on this record, in hexadecimal:")
    )
    yield Code(tuple(digits[start : start + _HEX_DIGITS_PER_LINE] for start in line_starts))
    yield Paragraph(language.gettext("Its SHA-256:"))
    yield Code((context.record_digest,))


def turns_so_far_section(context: TurnContext, locale: EmailLocale) -> Iterator[Block]:
    """Yield the first digits of the fingerprint of all turns so far, and a link to all of it."""
    language, head = locale.language, context.head
    yield Paragraph(
        language.gettext(
            "Fingerprint of all turns up to turn %(seq)s: %(digits)s. Keep this email: once the game is over, you can check that none of these turns was changed.",
            seq=head.seq,
            digits=short_head(head.digest),
        )
    )
    yield _fairness_link(context, locale)


def all_turns_section(context: GameOverContext, locale: EmailLocale) -> Iterator[Block]:
    """Yield the fingerprint of the whole game, and a link to the page on which it can be checked."""
    language, head = locale.language, context.head
    yield Heading(language.gettext("Proof of the game"))
    yield Paragraph(
        language.gettext(
            "This is the fingerprint of all turns, up to turn %(seq)s. The game record that you can download has the same one, unless a turn was changed:",
            seq=head.seq,
        )
    )
    half = len(head.digest) // 2
    yield Code((grouped_digits(head.digest[:half]), grouped_digits(head.digest[half:])))
    yield _fairness_link(context, locale)


def _fairness_link(context: TurnContext | GameOverContext, locale: EmailLocale) -> Link:
    url = urls.absolute_url(locale.base_url, urls.fairness(context.table.slug))
    return Link(locale.language.gettext("All fingerprints of this game"), url)
