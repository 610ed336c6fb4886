"""What stands in a letter, as sentences: one function for each kind of digest. Templates only say where it stands."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from engine.drawing import draw
from engine.view import View
from webapp.i18n import Language, zone_for
from webapp.mail.headers import one_line
from webapp.mail.menus import menus_of
from webapp.mail.people import (
    gold_at_the_end,
    listener_at,
    seats_at_play,
    seats_before_the_deal,
    shares_of,
    table_facts,
)
from webapp.services.notifications.email_context import (
    DealtContext,
    EmailContext,
    GameOverContext,
    InvitationContext,
    ReadyCheckContext,
    RoundOverContext,
    SignInContext,
    TurnContext,
)
from webapp.services.play.history import HistoryEntry
from webapp.wording.cards import card_name
from webapp.wording.history import sentence
from webapp.wording.mine import goals_in_words, mine_in_words
from webapp.wording.people import (
    awaiting_sentence,
    game_sentence,
    late_sentence,
    role_reminder,
    round_sentence,
)
from webapp.wording.perspective import Perspective
from webapp.wording.times import deadline

MOST_TURNS: Final = 40
"""A letter tells no more of the past than this; the table's page has all of it."""
_HEX_LINE: Final = 64
_NARROW: Final = 40

Contents = dict[str, Any]
"""What a template may name, beside the digest itself."""


def contents_of(digest: EmailContext, language: Language) -> Contents:
    """The sentences of a letter, in this language and for its recipient alone."""
    return _CONTENTS[type(digest)](digest, language) | _table(digest)


def _table(digest: EmailContext) -> Contents:
    """What names the game in every subject."""
    if isinstance(digest, SignInContext):
        return {}
    return {"host": one_line(digest.table.host), "slug": digest.table.slug}


def _of_sign_in(_digest: SignInContext, _language: Language) -> Contents:
    return {}


def _of_invitation(digest: InvitationContext, language: Language) -> Contents:
    return {"inviter": one_line(digest.host), **_before_the_deal(digest, language)}


def _of_ready_check(digest: ReadyCheckContext, language: Language) -> Contents:
    return _before_the_deal(digest, language)


def _of_dealt(digest: DealtContext, language: Language) -> Contents:
    written = digest.record.hex()
    starts = range(0, len(written), _HEX_LINE)
    record = tuple(written[start : start + _HEX_LINE] for start in starts)
    return {"record": record, **_before_the_deal(digest, language)}


def _of_turn(digest: TurnContext, language: Language) -> Contents:
    perspective = listener_at(digest.seats, language)
    return {
        **_since(digest.since, perspective),
        **_position(digest, perspective),
        "asked": awaiting_sentence(digest.view.awaiting, perspective),
        "due": _due(digest, language),
        "otherwise": late_sentence(digest.view.awaiting, language),
        "menus": menus_of(digest.menu, perspective, view=digest.view),
    }


def _of_round_over(digest: RoundOverContext, language: Language) -> Contents:
    perspective = listener_at(digest.seats, language)
    return {
        **_since(digest.since, perspective),
        **_position(digest, perspective),
        "ended": round_sentence(digest.result, perspective),
        "shares": shares_of(digest.result, perspective),
        "goes_on": _goes_on(digest.view, perspective),
    }


def _of_game_over(digest: GameOverContext, language: Language) -> Contents:
    perspective = listener_at(digest.seats, language)
    results = digest.view.results
    return {
        **_since(digest.since, perspective),
        **_drawing(digest.view, language),
        "won": game_sentence(digest.view, perspective),
        "gold": gold_at_the_end(digest.view, perspective),
        "rounds": tuple(round_sentence(result, perspective) for result in results),
    }


def _goes_on(view: View, perspective: Perspective) -> str:
    """What the game waits for; and that the round is dealt, unless it is over as well by now."""
    asked = awaiting_sentence(view.awaiting, perspective)
    if len(view.results) == view.round:
        return asked
    return perspective.language.gettext(
        "Round %(round)s is dealt. %(asked)s", round=view.round, asked=asked
    )


def _due(digest: TurnContext, language: Language) -> str:
    zone = zone_for(digest.envelope.zone)
    return deadline(digest.deadline_at, now=digest.now, zone=zone, language=language)


def _before_the_deal(
    digest: InvitationContext | ReadyCheckContext | DealtContext, language: Language
) -> Contents:
    return {
        "facts": table_facts(digest.table, digest.seats, language),
        "seats": seats_before_the_deal(digest.seats, language),
    }


def _since(told: Sequence[HistoryEntry], perspective: Perspective) -> Contents:
    """What happened, oldest first; only the latest when it was much."""
    sentences = tuple(_sentences(told[-MOST_TURNS:], perspective))
    return {"since": sentences, "left_out": max(0, len(told) - MOST_TURNS)}


def _sentences(told: Sequence[HistoryEntry], perspective: Perspective) -> Iterator[str]:
    for turn in told:
        first, *others = [sentence(line, perspective) for line in turn.lines] or [""]
        if turn.by == "clock":
            first = perspective.language.gettext("%(sentence)s (Time had run out.)", sentence=first)
        yield from filter(None, (first, *others))


def _position(digest: TurnContext | RoundOverContext, perspective: Perspective) -> Contents:
    """What the recipient knows of the game as it stands."""
    view, language = digest.view, perspective.language
    return {
        **_drawing(view, language),
        "role": role_reminder(view, perspective),
        "goals": goals_in_words(view, language),
        "hand": tuple(card_name(card, language) for card in view.hand),
        "seats": seats_at_play(digest.seats, view, language),
        "deck": language.ngettext(
            "%(num)s card is left to draw.", "%(num)s cards are left to draw.", view.deck_size
        ),
    }


def _drawing(view: View, language: Language) -> Contents:
    """The mine for terminals and for telephones, and in words for those who cannot see it."""
    return {
        "drawing": draw(view),
        "narrow_drawing": draw(view, width=_NARROW),
        "in_words": mine_in_words(view, language),
    }


_CONTENTS: Final[dict[type[EmailContext], Callable[[Any, Language], Contents]]] = {
    SignInContext: _of_sign_in,
    InvitationContext: _of_invitation,
    ReadyCheckContext: _of_ready_check,
    DealtContext: _of_dealt,
    TurnContext: _of_turn,
    RoundOverContext: _of_round_over,
    GameOverContext: _of_game_over,
}
