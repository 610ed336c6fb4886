"""Tables and those who sit there, as sentences of a letter."""

from collections.abc import Sequence
from typing import Protocol

from engine.cards import Role
from engine.view import View
from webapp.i18n import Language
from webapp.mail.headers import one_line
from webapp.services.play.summaries import SeatSummary, TableSummary
from webapp.wording.cards import broken_tool_name, nuggets, role_name
from webapp.wording.perspective import Perspective
from webapp.wording.rulebooks import house_rules, rulebook_name, rulebook_summary
from webapp.wording.times import duration


class Shares(Protocol):
    """What everybody may know of a round's gold (E31): tuples are in seat order."""

    @property
    def roles(self) -> Sequence[Role]: ...
    @property
    def gold_cards(self) -> Sequence[int]: ...
    @property
    def nuggets_paid(self) -> Sequence[int]: ...


def listener_at(seats: Sequence[SeatSummary], language: Language) -> Perspective:
    """Who is told: the one of these who gets the letter."""
    names = tuple(one_line(seat.name) for seat in seats)
    me = next((seat.number for seat in seats if seat.is_me), None)
    return Perspective(language=language, names=names, me=me)


def table_facts(
    table: TableSummary, seats: Sequence[SeatSummary], language: Language
) -> tuple[str, ...]:
    """What the table agreed on before the deal."""
    rulebook = rulebook_name(table.rulebook, language)
    length = duration(table.allowance, language)
    return (
        language.gettext("Rules: %(rulebook)s.", rulebook=rulebook),
        rulebook_summary(table.rulebook, language),
        *(f"{rule}." for rule in house_rules(table.house, language)),
        language.gettext("Time for a turn: %(length)s.", length=length),
        _starter(table, seats, language),
    )


def seats_before_the_deal(seats: Sequence[SeatSummary], language: Language) -> tuple[str, ...]:
    """A line for each seat, clockwise."""
    return tuple(_before_the_deal(seat, language) for seat in seats)


def seats_at_play(seats: Sequence[SeatSummary], view: View, language: Language) -> tuple[str, ...]:
    """A line for each seat, clockwise: what lies open before it, and how many cards it holds."""
    return tuple(_at_play(seat, view, language) for seat in seats)


def shares_of(result: Shares, perspective: Perspective) -> tuple[str, ...]:
    """A line for each seat: what it was in the round, and what it got."""
    return tuple(
        _share(result, seat, name, perspective.language)
        for seat, name in enumerate(perspective.names)
    )


def gold_at_the_end(view: View, perspective: Perspective) -> tuple[str, ...]:
    """A line for each seat: all its nuggets, the most first."""
    language = perspective.language
    amounts = [
        (sum(cards or ()), name) for cards, name in zip(view.gold, perspective.names, strict=True)
    ]
    amounts.sort(key=lambda pair: -pair[0])
    return tuple(
        language.gettext("%(name)s: %(gold)s", name=name, gold=nuggets(amount, language))
        for amount, name in amounts
    )


def _starter(table: TableSummary, seats: Sequence[SeatSummary], language: Language) -> str:
    if table.starter is None:
        return language.gettext("Chance decides who begins.")
    name = one_line(seats[table.starter].name)
    if not name:
        return language.gettext("Seat %(number)s begins.", number=table.starter + 1)
    return language.gettext("The first to play: %(name)s.", name=name)


def _before_the_deal(seat: SeatSummary, language: Language) -> str:
    if seat.is_free:
        return language.gettext("a free seat")
    facts = [language.gettext("you")] if seat.is_me else []
    facts += [language.gettext("bot")] if seat.is_bot else []
    facts += [language.gettext("added a pinch of salt")] if seat.has_salt else []
    return _with_facts(one_line(seat.name), facts, language)


def _at_play(seat: SeatSummary, view: View, language: Language) -> str:
    name = one_line(seat.name)
    if seat.is_gone:
        return _with_facts(name, [language.gettext("seat given up")], language)
    held = view.hand_sizes[seat.number]
    facts = [language.gettext("you")] if seat.is_me else []
    facts += [language.gettext("bot")] if seat.is_bot else []
    facts.append(language.ngettext("%(num)s card in hand", "%(num)s cards in hand", held))
    facts += [broken_tool_name(tool, language) for tool in view.broken[seat.number]]
    facts += _gold_in_sight(seat, view, language)
    return _with_facts(name, facts, language)


def _gold_in_sight(seat: SeatSummary, view: View, language: Language) -> list[str]:
    cards = view.gold[seat.number]
    return [nuggets(sum(cards), language)] if cards else []


def _share(result: Shares, seat: int, name: str, language: Language) -> str:
    facts = [role_name(result.roles[seat], language)]
    if result.gold_cards[seat]:
        cards = result.gold_cards[seat]
        facts.append(language.ngettext("%(num)s gold card", "%(num)s gold cards", cards))
    if result.nuggets_paid[seat]:
        facts.append(nuggets(result.nuggets_paid[seat], language))
    return _with_facts(name, facts, language)


def _with_facts(name: str, facts: list[str], language: Language) -> str:
    if not facts:
        return name
    return language.gettext("%(name)s (%(facts)s)", name=name, facts=", ".join(facts))
