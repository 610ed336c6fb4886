"""Sections of emails about how a round or a game has ended."""

from collections.abc import Sequence
from typing import Protocol

from engine.cards import Role
from engine.view import View
from webapp.mail.blocks import BulletList
from webapp.mail.sections import with_details
from webapp.wording.cards import nuggets, role_name
from webapp.wording.perspective import Perspective


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
