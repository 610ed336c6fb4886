"""Sections of emails about how a round or a game has ended: tables of roles and gold, and the awards."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.view import View
from webapp.mail.blocks import Block, Paragraph, Table
from webapp.wording.cards import nuggets, role_name
from webapp.wording.perspective import Perspective
from webapp.wording.results import AwardFacts, RoundOutcome, award_text, gold_text


class _PublicRound(NamedTuple):
    """A round that is over, without the values of gold cards, which are not public (E31)."""

    result: RoundOutcome
    gold: tuple[None, ...]
    is_gold_pending: bool = False


def share_table(result: RoundOutcome, perspective: Perspective) -> Table:
    """Return a row for each seat: its role in the round and its gold; and one for the unused role card."""
    language = perspective.language
    over = _PublicRound(result, (None,) * len(result.roles))
    rows = tuple(
        (name, role_name(result.roles[seat], language), gold_text(over, seat, language))
        for seat, name in enumerate(perspective.labels())
    )
    unused = (language.gettext("Unused role card"), role_name(result.aside, language), "")
    headings = (
        language.gettext("Player"),
        language.gettext("Role"),
        language.gettext("Gold"),
    )
    return Table(headings, (*rows, unused))


def ranking_table(view: View, perspective: Perspective) -> Table:
    """Return a row for each seat with its place and all its nuggets, the richest player first."""
    language = perspective.language
    totals = [sum(cards or ()) for cards in view.gold]
    rows = tuple(
        (
            str(1 + sum(total > totals[seat] for total in totals)),
            perspective.label(seat),
            nuggets(totals[seat], language),
        )
        for seat in sorted(range(view.seats), key=lambda seat: -totals[seat])
    )
    headings = (
        language.gettext("Place"),
        language.gettext("Player"),
        language.gettext("Gold"),
    )
    return Table(headings, rows)


def awards_section(awards: Sequence[AwardFacts], perspective: Perspective) -> Iterator[Block]:
    """Yield the awards in one paragraph, if there are any."""
    if awards:
        texts = "; ".join(award_text(award, perspective) for award in awards)
        yield Paragraph(perspective.language.gettext("Awards: %(awards)s.", awards=texts))
