"""How rounds and games ended, as headlines and sentences: the same on pages and in emails."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from math import ceil
from typing import Final, NamedTuple, Protocol

from engine.cards import Role
from engine.view import View
from webapp.kernel.i18n import N_, NN_, Language
from webapp.wording.cards import nuggets
from webapp.wording.history import WINNERS_TEXTS, saboteurs_sentence
from webapp.wording.perspective import Perspective, joined_words, player_name
from webapp.wording.times import days_and_hours

_ROUND_HEADLINES: Final = {
    "diggers": N_("Round %(round)s: the gold-diggers win"),
    "saboteurs": N_("Round %(round)s: the saboteurs win"),
    "nobody": N_("Round %(round)s: no one wins"),
}
_REASONS: Final = {
    "treasure": N_("A path revealed the treasure."),
    "exhausted": N_("The deck and all hands are empty, and no path revealed the treasure."),
    "circle-of-passes": N_(
        "The deck is empty, and everyone discarded or passed in turn. No path revealed the treasure."
    ),
}
_WINS_TEXT: Final = NN_("%(name)s wins with %(num)s nugget", "%(name)s wins with %(num)s nuggets")
_YOU_WIN_TEXT: Final = NN_("You win with %(num)s nugget", "You win with %(num)s nuggets")
_SHARED_WIN_TEXT: Final = NN_(
    "%(names)s share the win with %(num)s nugget each",
    "%(names)s share the win with %(num)s nuggets each",
)
_YOUR_SHARED_WIN_TEXT: Final = NN_(
    "You and %(names)s share the win with %(num)s nugget each",
    "You and %(names)s share the win with %(num)s nuggets each",
)
_AWARD_NAMES: Final = {
    "treasures": N_("Treasure finder"),
    "sabotage": N_("Master of disguise"),
    "paths": N_("Busiest digger"),
    "repairs": N_("Best friend"),
    "breaks": N_("Wrecker"),
    "maps": N_("Scout"),
    "rockfalls": N_("Rolling stone"),
    "quickest": N_("Quickest player"),
}
_AWARD_REASONS: Final = {
    "treasures": NN_("reached the treasure once", "reached the treasure %(num)s times"),
    "sabotage": NN_("won %(num)s round as a saboteur", "won %(num)s rounds as a saboteur"),
    "paths": NN_("laid %(num)s path card", "laid %(num)s path cards"),
    "repairs": NN_("repaired a tool of someone else", "repaired tools of others %(num)s times"),
    "breaks": NN_("broke a tool of someone else", "broke %(num)s tools of others"),
    "maps": NN_("looked at a goal with a map", "looked at goals with %(num)s maps"),
    "rockfalls": NN_("played %(num)s rockfall", "played %(num)s rockfalls"),
}
_QUICKEST_REASON: Final = N_("half of their turns came within %(time)s")
_AWARD_TEXT: Final = N_("%(award)s: %(names)s, %(reason)s")
_ROUND_OVER_TEXTS: Final = {
    "treasure": N_("Round %(round)s is over: the treasure was found."),
    "exhausted": N_("Round %(round)s is over: the deck and all hands are empty."),
    "circle-of-passes": N_(
        "Round %(round)s is over: the deck is empty and everyone discarded or passed in turn."
    ),
}
_WINNERS_TEXT: Final = NN_("%(names)s won.", "%(names)s won.")
_GAME_WINNERS_TEXT: Final = NN_("%(names)s won the game.", "%(names)s share first place.")

_JUDGEMENTS: Final = {
    ("suspect", "saboteur"): NN_(
        "You suspected %(name)s: saboteur in round %(rounds)s.",
        "You suspected %(name)s: saboteur in rounds %(rounds)s.",
    ),
    ("suspect", "digger"): NN_(
        "You suspected %(name)s: gold-digger in round %(rounds)s.",
        "You suspected %(name)s: gold-digger in rounds %(rounds)s.",
    ),
    ("trust", "digger"): NN_(
        "You trusted %(name)s: gold-digger in round %(rounds)s.",
        "You trusted %(name)s: gold-digger in rounds %(rounds)s.",
    ),
    ("trust", "saboteur"): NN_(
        "You trusted %(name)s: saboteur in round %(rounds)s.",
        "You trusted %(name)s: saboteur in rounds %(rounds)s.",
    ),
}
_RIGHT_JUDGEMENTS: Final = frozenset({("suspect", "saboteur"), ("trust", "digger")})


class RoundOutcome(Protocol):
    """The result of a round, as views hold it."""

    @property
    def round(self) -> int: ...
    @property
    def ending(self) -> str: ...
    @property
    def winners(self) -> str: ...
    @property
    def roles(self) -> Sequence[Role]: ...
    @property
    def aside(self) -> Role: ...
    @property
    def gold_cards(self) -> Sequence[int]: ...
    @property
    def nuggets_paid(self) -> Sequence[int]: ...


class PaidRound(Protocol):
    """A finished round, as use cases return it."""

    @property
    def result(self) -> RoundOutcome: ...
    @property
    def gold(self) -> Sequence[Sequence[int] | None]: ...
    @property
    def is_gold_pending(self) -> bool: ...


class RoundMark(Protocol):
    """What the viewer thought of the player in a seat in a round."""

    @property
    def round(self) -> int: ...
    @property
    def seat(self) -> int: ...
    @property
    def suspicion(self) -> str: ...


class Judgement(NamedTuple):
    """A player whom the viewer trusted or suspected, and what they were."""

    seat: int
    text: str
    is_right: bool


class AwardFacts(Protocol):
    """An award, as use cases return it."""

    @property
    def key(self) -> str: ...
    @property
    def seats(self) -> tuple[int, ...]: ...
    @property
    def count(self) -> int: ...
    @property
    def answer(self) -> timedelta | None: ...


def round_headline(result: RoundOutcome, language: Language) -> str:
    """Return which side won a round, without a full stop."""
    return language.gettext(_ROUND_HEADLINES[result.winners], round=result.round)


def ending_sentence(result: RoundOutcome, language: Language) -> str:
    """Return why a round ended."""
    return language.gettext(_REASONS[result.ending])


def game_headline(view: View, perspective: Perspective) -> str:
    """Return who won with how many nuggets, without a full stop; that the game is over if no one did."""
    language, winners = perspective.language, view.winners
    if not winners:
        return language.gettext("The game is over")
    number = sum(view.gold[winners[0]] or ())
    if not number:
        return language.gettext("No one found any gold")
    if winners == (perspective.me,):
        return language.ngettext(*_YOU_WIN_TEXT, number)
    if len(winners) == 1:
        return language.ngettext(*_WINS_TEXT, number, name=perspective.name(winners[0]))
    other_winners = tuple(seat for seat in winners if seat != perspective.me)
    text = _SHARED_WIN_TEXT if other_winners == winners else _YOUR_SHARED_WIN_TEXT
    return language.ngettext(*text, number, names=perspective.names_of(other_winners))


def round_sentence(result: RoundOutcome, perspective: Perspective) -> str:
    """Return how a round ended, who won it and who the saboteurs were."""
    language = perspective.language
    saboteurs = tuple(seat for seat, role in enumerate(result.roles) if role == "saboteur")
    ending_text = language.gettext(_ROUND_OVER_TEXTS[result.ending], round=result.round)
    winners_text = language.gettext(WINNERS_TEXTS[result.winners])
    return " ".join((ending_text, winners_text, saboteurs_sentence(saboteurs, perspective)))


def game_sentence(view: View, perspective: Perspective) -> str:
    """Return who won the game; empty while it is running."""
    if not view.winners:
        return ""
    if view.winners == (perspective.me,):
        return perspective.language.gettext("You won the game!")
    names = perspective.names_of(view.winners)
    return perspective.language.ngettext(*_GAME_WINNERS_TEXT, len(view.winners), names=names)


def winners_sentence(other_winners: Sequence[str], *, i_won: bool, language: Language) -> str:
    """Return who won a finished game, for lists of games; ``other_winners`` are all winners except the viewer."""
    if not other_winners:
        return language.gettext("You won.") if i_won else language.gettext("The game is over.")
    names = joined_words(tuple(player_name(name, language) for name in other_winners), language)
    if i_won:
        return language.gettext("You and %(names)s won.", names=names)
    return language.ngettext(*_WINNERS_TEXT, len(other_winners), names=names)


def gold_text(over: PaidRound, seat: int, language: Language) -> str:
    """Return what a seat got in a round: nuggets if the viewer may know them, else gold cards."""
    result, cards = over.result, over.gold[seat]
    if cards:
        return nuggets(sum(cards), language)
    if result.nuggets_paid[seat]:
        return nuggets(result.nuggets_paid[seat], language)
    if count := result.gold_cards[seat]:
        return language.ngettext("%(num)s gold card", "%(num)s gold cards", count)
    if over.is_gold_pending and result.roles[seat] == "digger":
        return language.gettext("gold being shared")
    return language.gettext("no gold")


def hidden_gold_note(over: PaidRound, language: Language) -> str:
    """Return why the viewer is shown gold cards without their nuggets; empty if no seat has any."""
    result = over.result
    seats = zip(over.gold, result.nuggets_paid, result.gold_cards, strict=True)
    if any(count and not cards and not paid for cards, paid, count in seats):
        return language.gettext("Gold cards stay face down until the game ends.")
    return ""


def award_name(award: AwardFacts, language: Language) -> str:
    return language.gettext(_AWARD_NAMES[award.key])


def award_reason(award: AwardFacts, language: Language) -> str:
    """Return for what an award is, to follow the names of those who get it."""
    if award.answer is not None:
        time = days_and_hours(_rounded_up(award.answer), language)
        return language.gettext(_QUICKEST_REASON, time=time)
    return language.ngettext(*_AWARD_REASONS[award.key], award.count)


def award_text(award: AwardFacts, perspective: Perspective) -> str:
    """Return an award with its winners and its reason, without a full stop."""
    language = perspective.language
    return language.gettext(
        _AWARD_TEXT,
        award=award_name(award, language),
        names=perspective.names_of(award.seats),
        reason=award_reason(award, language),
    )


def judgements(
    marks: Iterable[RoundMark], roles: Mapping[int, Sequence[Role | None]], perspective: Perspective
) -> list[Judgement]:
    """Return the viewer's marks beside the truth, by seat; ``roles`` are those of each round by seat."""
    rounds: dict[tuple[int, str, Role], list[int]] = {}
    for mark in marks:
        role = roles[mark.round][mark.seat] if mark.round in roles else None
        if role is not None:
            rounds.setdefault((mark.seat, mark.suspicion, role), []).append(mark.round)
    return [
        Judgement(
            seat,
            perspective.language.ngettext(
                *_JUDGEMENTS[suspicion, role],
                len(numbers),
                name=perspective.name(seat),
                rounds=joined_words(tuple(map(str, numbers)), perspective.language),
            ),
            (suspicion, role) in _RIGHT_JUDGEMENTS,
        )
        for (seat, suspicion, role), numbers in sorted(rounds.items())
    ]


def _rounded_up(length: timedelta) -> timedelta:
    """Return a length in whole minutes, or in whole hours from a day on."""
    unit = timedelta(hours=1) if length > timedelta(days=1) else timedelta(minutes=1)
    return max(1, ceil(length / unit)) * unit
