"""Sections of emails about how a round or a game has begun or ended."""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from engine.cards import Role
from engine.view import View
from webapp.i18n import Language
from webapp.mail.blocks import Block, BulletList, Code, Heading, Paragraph
from webapp.mail.sections import with_details
from webapp.services.notifications.email_context import DealtContext
from webapp.wording.cards import nuggets, role_name
from webapp.wording.perspective import Perspective

_HEX_DIGITS_PER_LINE: Final = 64


class GoldShares(Protocol):
    """What every player may know of a round's gold (E31); tuples are in seat order."""

    @property
    def roles(self) -> Sequence[Role]: ...
    @property
    def gold_cards(self) -> Sequence[int]: ...
    @property
    def nuggets_paid(self) -> Sequence[int]: ...


def round_share_list(result: GoldShares, perspective: Perspective) -> BulletList:
    """Return a line for each seat: its role in the round and its gold."""
    return BulletList(
        tuple(_share_sentence(result, seat, perspective) for seat in range(len(perspective.names)))
    )


def final_gold_list(view: View, perspective: Perspective) -> BulletList:
    """Return a line for each seat with all its nuggets, the richest player first."""
    language = perspective.language
    gold_amounts = [
        (sum(cards or ()), name)
        for cards, name in zip(view.gold, perspective.labels(), strict=True)
    ]
    gold_amounts.sort(key=lambda pair: -pair[0])
    return BulletList(
        tuple(
            language.gettext("%(name)s: %(gold)s", name=name, gold=nuggets(amount, language))
            for amount, name in gold_amounts
        )
    )


def _share_sentence(result: GoldShares, seat: int, perspective: Perspective) -> str:
    language, name = perspective.language, perspective.names[seat]
    facts = [*perspective.bot_facts(seat), role_name(result.roles[seat], language)]
    if result.gold_cards[seat]:
        cards = result.gold_cards[seat]
        facts.append(language.ngettext("%(num)s gold card", "%(num)s gold cards", cards))
    if result.nuggets_paid[seat]:
        facts.append(nuggets(result.nuggets_paid[seat], language))
    return with_details(name, facts, language)


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
