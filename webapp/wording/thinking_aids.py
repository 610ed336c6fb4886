"""What players could note on paper: cards seen and left by kind, and what each player laid and broke in this round.

Pure functions of a view and the history entries of the same seat, so they cannot show more than those do.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine.cards import ACTION_CARDS, BREAKS, MAP, PATH_CARDS, ROCKFALL, Card
from engine.narration import Line, LineKey
from engine.view import View
from webapp.kernel.i18n import N_, NN_
from webapp.wording.cards import tool_name
from webapp.wording.digest import NumberedTurn, without_undone_turns
from webapp.wording.history import kind_of_path
from webapp.wording.perspective import Perspective, joined_words

_KIND_NAMES: Final = {
    "crossing": N_("Crossings"),
    "junction": N_("T-junctions"),
    "bend": N_("Bends"),
    "straight": N_("Straight tunnels"),
    "dead-end": N_("Dead ends"),
    "break": N_("Broken tools"),
    "repair": N_("Repairs"),
    "rockfall": N_("Rockfalls"),
    "map": N_("Maps"),
}
_KINDS_OF_LINES: Final = {
    LineKey.TOOL_BROKEN: "break",
    LineKey.OWN_TOOL_BROKEN: "break",
    LineKey.TOOL_REPAIRED: "repair",
    LineKey.OWN_TOOL_REPAIRED: "repair",
    LineKey.ROCK_FELL: "rockfall",
    LineKey.GOAL_LOOKED_AT: "map",
    LineKey.GOAL_SEEN: "map",
}
_DEED_TEXTS: Final = {
    "laid": NN_("%(num)s path laid", "%(num)s paths laid"),
    "dead-end": NN_("%(num)s dead end laid", "%(num)s dead ends laid"),
    "repair": NN_("%(num)s repair", "%(num)s repairs"),
    "rockfall": NN_("%(num)s rockfall", "%(num)s rockfalls"),
    "map": NN_("%(num)s map", "%(num)s maps"),
    "discard": NN_("%(num)s card discarded", "%(num)s cards discarded"),
}


class CardCount(NamedTuple):
    """How many cards of a kind there are, and how many of them the viewer has seen in this round."""

    name: str
    total: int
    seen: int
    """Played in the open, or discarded by the viewer."""
    in_hand: int

    @property
    def left(self) -> int:
        """Return how many are in the deck, in other hands, or discarded by others face down."""
        return self.total - self.seen - self.in_hand


class PlayerDeeds(NamedTuple):
    """What a player did in this round, as text; empty if nothing yet."""

    seat: int
    text: str


def card_counts(
    view: View, turns: Sequence[NumberedTurn], perspective: Perspective
) -> list[CardCount]:
    """Return the counts of all kinds; the turns, oldest first, contain this round."""
    seen = Counter(kind for line in _lines_of_round(turns) if (kind := _kind_shown(line)))
    in_hand = Counter(map(_kind_of, view.hand))
    totals = Counter[str]()
    for card, count in (PATH_CARDS | ACTION_CARDS).items():
        totals[_kind_of(card)] += count
    return [
        CardCount(perspective.language.gettext(name), totals[kind], seen[kind], in_hand[kind])
        for kind, name in _KIND_NAMES.items()
    ]


def player_deeds(turns: Sequence[NumberedTurn], perspective: Perspective) -> list[PlayerDeeds]:
    """Return what each player did, by seat; the turns, oldest first, contain this round."""
    lines = _lines_of_round(turns)
    return [
        PlayerDeeds(seat, _deeds_text([line for line in lines if line.seat == seat], perspective))
        for seat in range(len(perspective.names))
    ]


def _lines_of_round(turns: Sequence[NumberedTurn]) -> list[Line]:
    lines: list[Line] = []
    for turn in without_undone_turns(turns):
        for line in turn.lines:
            if line.key is LineKey.ROUND_DEALT:
                lines.clear()
            lines.append(line)
    return lines


def _deeds_text(lines: Iterable[Line], perspective: Perspective) -> str:
    lines = list(lines)
    counts = Counter(kind for line in lines if (kind := _deed_of(line)))
    texts = [
        perspective.language.ngettext(*text, counts[kind])
        for kind, text in _DEED_TEXTS.items()
        if counts[kind]
    ]
    return joined_words((*texts, *_breaks(lines, perspective)), perspective.language)


def _breaks(lines: Iterable[Line], perspective: Perspective) -> Iterator[str]:
    """Yield each tool that was broken, with its owner."""
    for line in lines:
        if line.key in {LineKey.TOOL_BROKEN, LineKey.OWN_TOOL_BROKEN} and line.tool:
            owner = line.seat if line.target is None else line.target
            assert owner is not None
            yield perspective.language.gettext(
                "broke %(tool)s (%(name)s)",
                tool=tool_name(line.tool, perspective.language),
                name=perspective.name(owner),
            )


def _deed_of(line: Line) -> str:
    if line.key is LineKey.CARD_LAID:
        return "dead-end" if kind_of_path(line.card) == "dead-end" else "laid"
    if line.key in {LineKey.DISCARDED, LineKey.CARD_DISCARDED}:
        return "discard"
    return _KINDS_OF_LINES.get(line.key, "")


def _kind_shown(line: Line) -> str:
    """Return the kind of the card that a line shows leaving a hand; empty if it shows none."""
    if line.key in {LineKey.CARD_LAID, LineKey.CARD_DISCARDED} and line.card:
        return _kind_of(line.card)
    return _KINDS_OF_LINES.get(line.key, "")


def _kind_of(card: Card) -> str:
    if card in PATH_CARDS:
        return kind_of_path(card)
    if card == ROCKFALL:
        return "rockfall"
    if card == MAP:
        return "map"
    return "break" if card in BREAKS else "repair"
