"""A turn of history in sentences, worded from the perspective of one viewer."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from engine.cards import BREAKS, CONNECTS_EDGES, MAP, ROCKFALL, Card
from engine.narration import Line, LineKey
from webapp.kernel.i18n import N_, NN_
from webapp.wording.cards import card_name, role_name
from webapp.wording.history_messages import LINE_MESSAGES, LineMessages, Message
from webapp.wording.perspective import Perspective, joined_words, with_former_players

WINNERS_TEXTS: Final = {
    "diggers": N_("The gold-diggers win the round."),
    "saboteurs": N_("The saboteurs win the round."),
    "nobody": N_("No one wins the round: no treasure, and no saboteur among the players."),
}
_SABOTEURS_TEXT: Final = NN_("The saboteur was %(names)s.", "The saboteurs were %(names)s.")
_YOU_WERE_SABOTEUR_TEXT: Final = N_("You were the saboteur.")
_SABOTEURS_WITH_YOU_TEXT: Final = N_("The saboteurs were you and %(names)s.")
_NO_SABOTEUR_TEXT: Final = N_("There was no saboteur among the players.")
_UNUSED_ROLE_TEXT: Final = N_("Unused role card: %(role)s.")
_OVERSHOT_TEXT: Final = NN_(
    "One card was too large and went under the pile: %(gold)s.",
    "%(num)s cards were too large and went under the pile: %(gold)s.",
)
_TOO_LARGE_CARDS_TEXT: Final = N_("Cards that were too large, in order: %(gold)s.")
_RESTORED_TEXT: Final = N_(
    "No draw came to the exact sum, so the pile was put back as it was and the payment was picked from it."
)
_YOUR_TIME_RAN_OUT_TEXT: Final = N_("Your time ran out.")
_TIME_RAN_OUT_TEXT: Final = N_("%(name)s's time ran out.")
_KEYS_OF_CLOCK_TURNS: Final = frozenset({LineKey.DISCARDED, LineKey.CARD_DISCARDED, LineKey.PASSED})
"""The lines whose own sentence says that time ran out."""


class PlayedTurn(Protocol):
    """One turn of history as one seat may read it."""

    @property
    def seat(self) -> int | None: ...
    @property
    def by(self) -> str: ...
    @property
    def lines(self) -> Sequence[Line]: ...
    @property
    def former_names(self) -> Sequence[tuple[int, str]]: ...


def narrate(turn: PlayedTurn, perspective: Perspective) -> tuple[str, ...]:
    """Return the sentences of a turn; one played by the clock says whose time ran out."""
    timed_out = turn.by == "clock"
    perspective = with_former_players(perspective, turn.former_names)
    sentences = tuple(narrate_line(line, perspective, timed_out=timed_out) for line in turn.lines)
    if (
        not timed_out
        or turn.seat is None
        or any(line.key in _KEYS_OF_CLOCK_TURNS for line in turn.lines)
    ):
        return sentences
    return (_time_ran_out_sentence(turn.seat, perspective), *sentences)


def narrate_line(line: Line, perspective: Perspective, *, timed_out: bool = False) -> str:
    """Return the sentences of one line: "You ..." to the player who acted, "... your ..." to the one it was played on."""
    sentence = short_sentence(line, perspective, timed_out=timed_out)
    return " ".join([sentence, *_detail_sentences(line, perspective)])


def short_sentence(line: Line, perspective: Perspective, *, timed_out: bool = False) -> str:
    """Return the first sentence of a line."""
    messages = LINE_MESSAGES[line.key, _message_variant(line, timed_out=timed_out)]
    return _formatted_message(_message_for(messages, line, perspective), line, perspective)


def _time_ran_out_sentence(seat: int, perspective: Perspective) -> str:
    if seat == perspective.me:
        return perspective.language.gettext(_YOUR_TIME_RAN_OUT_TEXT)
    return perspective.language.gettext(_TIME_RAN_OUT_TEXT, name=perspective.name(seat))


class PlayedCard(NamedTuple):
    """The card of a turn, as it lies."""

    card: Card
    turned: bool


def played_card(lines: Iterable[Line]) -> PlayedCard | None:
    """Return the card that was played in a turn, for its picture; one that was discarded face down has none."""
    cards = ((_card_of(line), line.turned) for line in lines if line.key in _CARD_BY_KEY)
    return next((PlayedCard(card, turned) for card, turned in cards if card is not None), None)


def _card_of(line: Line) -> Card | None:
    return _CARD_BY_KEY[line.key](line)


def _breaking_card(line: Line) -> Card:
    return next(card for card, tool in BREAKS.items() if tool == line.tool)


_CARD_BY_KEY: Final[dict[LineKey, Callable[[Line], Card | None]]] = {
    LineKey.CARD_LAID: lambda line: line.card,
    LineKey.TOOL_BROKEN: _breaking_card,
    LineKey.OWN_TOOL_BROKEN: _breaking_card,
    LineKey.TOOL_REPAIRED: lambda line: line.card,
    LineKey.OWN_TOOL_REPAIRED: lambda line: line.card,
    LineKey.ROCK_FELL: lambda _line: ROCKFALL,
    LineKey.GOAL_SEEN: lambda _line: MAP,
    LineKey.GOAL_LOOKED_AT: lambda _line: MAP,
}


def _message_variant(line: Line, *, timed_out: bool) -> str:
    if line.key is LineKey.GAME_ENDED:
        return "one" if len(line.seats) == 1 else "shared"
    if line.key in {LineKey.CARD_LAID, LineKey.ROCK_FELL}:
        return kind_of_path(line.card)
    if line.key is LineKey.GOAL_SEEN:
        return "treasure" if line.goal == "treasure" else "stone"
    if line.key in _KEYS_OF_CLOCK_TURNS:
        return "time-ran-out" if timed_out else ""
    if line.key in _PAYMENT_KEYS:
        return "" if line.nuggets else "nothing"
    return (line.tool or line.ending or line.role or "") if line.key in _KEYS_WITH_VARIANTS else ""


_PAYMENT_KEYS: Final = frozenset({LineKey.PAID, LineKey.PAID_IN_CARDS})
_KEYS_WITH_VARIANTS: Final = frozenset(
    {
        LineKey.ROLE_DEALT,
        LineKey.ROUND_ENDED,
        LineKey.TOOL_BROKEN,
        LineKey.OWN_TOOL_BROKEN,
        LineKey.TOOL_REPAIRED,
        LineKey.OWN_TOOL_REPAIRED,
    }
)
_STRAIGHT_PATH_CARDS: Final = frozenset({"path-tb", "path-rl"})
_KIND_BY_OPEN_EDGES: Final = {4: "crossing", 3: "junction", 2: "bend"}
"""Kinds of path cards by their number of open sides; straight tunnels are listed above."""


def kind_of_path(card: Card | None) -> str:
    """Return which kind of tunnel a path card has."""
    if card is None or not CONNECTS_EDGES[card]:
        return "dead-end"
    if card in _STRAIGHT_PATH_CARDS:
        return "straight"
    return _KIND_BY_OPEN_EDGES[len(card.removeprefix("path-"))]


def _message_for(messages: LineMessages, line: Line, perspective: Perspective) -> Message:
    if perspective.me is None:
        return messages.for_others
    if perspective.me == _actor(line):
        return messages.for_actor or messages.for_others
    if perspective.me == line.target:
        return messages.for_target or messages.for_others
    return messages.for_others


def _actor(line: Line) -> int | None:
    return line.seats[0] if line.key is LineKey.GAME_ENDED and len(line.seats) == 1 else line.seat


def _formatted_message(message: Message, line: Line, perspective: Perspective) -> str:
    values = _message_values(line, perspective)
    if isinstance(message, str):
        return perspective.language.gettext(message, **values)
    number = line.count if line.count is not None else line.nuggets or 0
    return perspective.language.ngettext(*message, number, **values)


def _message_values(line: Line, perspective: Perspective) -> dict[str, object]:
    language = perspective.language
    return _player_names(line, perspective) | {
        "round": line.round,
        "cell": line.cell,
        "cells": joined_words(line.cells, language),
        "card": card_name(line.card, language) if line.card else "",
        "cards": joined_words(tuple(card_name(card, language) for card in line.cards), language),
        "gold": joined_words(tuple(map(str, line.gold)), language),
        "to_seq": line.to_seq,
    }


def _player_names(line: Line, perspective: Perspective) -> dict[str, object]:
    return {
        "name": "" if line.seat is None else perspective.name(line.seat),
        "target": "" if line.target is None else perspective.name(line.target),
        "names": perspective.names_of(line.seats),
        "standings": _standings_text(line, perspective) if line.key is LineKey.GAME_ENDED else "",
    }


def _standings_text(line: Line, perspective: Perspective) -> str:
    language = perspective.language
    return joined_words(
        tuple(
            language.gettext("%(name)s %(number)s", name=perspective.name(seat), number=number)
            for seat, number in enumerate(line.gold)
        ),
        language,
    )


def _detail_sentences(line: Line, perspective: Perspective) -> tuple[str, ...]:
    if line.key is LineKey.ROUND_ENDED:
        return _round_result_sentences(line, perspective)
    if line.restored:
        return (
            *_overshot_sentences(line, perspective),
            perspective.language.gettext(_RESTORED_TEXT),
        )
    return _overshot_sentences(line, perspective)


def _overshot_sentences(line: Line, perspective: Perspective) -> tuple[str, ...]:
    """Return a sentence about gold cards above the sum; they went under the pile unless it was restored (R44, E1)."""
    if not line.overshot:
        return ()
    language = perspective.language
    gold = joined_words(tuple(map(str, line.overshot)), language)
    if line.restored:
        return (language.gettext(_TOO_LARGE_CARDS_TEXT, gold=gold),)
    return (language.ngettext(*_OVERSHOT_TEXT, len(line.overshot), gold=gold),)


def _round_result_sentences(line: Line, perspective: Perspective) -> tuple[str, ...]:
    language = perspective.language
    unused_role_name, winners = role_name(line.aside or "digger", language), line.side or "nobody"
    return (
        language.gettext(WINNERS_TEXTS[winners]),
        saboteurs_sentence(
            tuple(seat for seat, role in enumerate(line.roles) if role == "saboteur"), perspective
        ),
        language.gettext(_UNUSED_ROLE_TEXT, role=unused_role_name),
    )


def saboteurs_sentence(seats: tuple[int, ...], perspective: Perspective) -> str:
    """Return who the saboteurs of a finished round were."""
    language = perspective.language
    if not seats:
        return language.gettext(_NO_SABOTEUR_TEXT)
    if seats == (perspective.me,):
        return language.gettext(_YOU_WERE_SABOTEUR_TEXT)
    if perspective.me in seats:
        other_seats = tuple(seat for seat in seats if seat != perspective.me)
        return language.gettext(_SABOTEURS_WITH_YOU_TEXT, names=perspective.names_of(other_seats))
    return language.ngettext(*_SABOTEURS_TEXT, len(seats), names=perspective.names_of(seats))
