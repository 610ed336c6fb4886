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
    DealtDigest,
    Digest,
    GameOverDigest,
    InvitationDigest,
    ReadyCheckDigest,
    RoundOverDigest,
    SignInDigest,
    TurnDigest,
)
from webapp.services.play.cards import Told
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
from webapp.wording.perspective import Listener
from webapp.wording.times import deadline

MOST_TURNS: Final = 40
"""A letter tells no more of the past than this; the table's page has all of it."""
_HEX_LINE: Final = 64
_NARROW: Final = 40

Contents = dict[str, Any]
"""What a template may name, beside the digest itself."""


def contents_of(digest: Digest, language: Language) -> Contents:
    """The sentences of a letter, in this language and for its recipient alone."""
    return _CONTENTS[type(digest)](digest, language) | _table(digest)


def _table(digest: Digest) -> Contents:
    """What names the game in every subject."""
    if isinstance(digest, SignInDigest):
        return {}
    return {"host": one_line(digest.table.host), "slug": digest.table.slug}


def _of_sign_in(_digest: SignInDigest, _language: Language) -> Contents:
    return {}


def _of_invitation(digest: InvitationDigest, language: Language) -> Contents:
    return {"inviter": one_line(digest.host), **_before_the_deal(digest, language)}


def _of_ready_check(digest: ReadyCheckDigest, language: Language) -> Contents:
    return _before_the_deal(digest, language)


def _of_dealt(digest: DealtDigest, language: Language) -> Contents:
    written = digest.record.hex()
    starts = range(0, len(written), _HEX_LINE)
    record = tuple(written[start : start + _HEX_LINE] for start in starts)
    return {"record": record, **_before_the_deal(digest, language)}


def _of_turn(digest: TurnDigest, language: Language) -> Contents:
    listener = listener_at(digest.seats, language)
    return {
        **_since(digest.since, listener),
        **_position(digest, listener),
        "asked": awaiting_sentence(digest.view.awaiting, listener),
        "due": _due(digest, language),
        "otherwise": late_sentence(digest.view.awaiting, language),
        "menus": menus_of(digest.menu, listener, view=digest.view),
    }


def _of_round_over(digest: RoundOverDigest, language: Language) -> Contents:
    listener = listener_at(digest.seats, language)
    return {
        **_since(digest.since, listener),
        **_position(digest, listener),
        "ended": round_sentence(digest.result, listener),
        "shares": shares_of(digest.result, listener),
        "goes_on": _goes_on(digest.view, listener),
    }


def _of_game_over(digest: GameOverDigest, language: Language) -> Contents:
    listener = listener_at(digest.seats, language)
    results = digest.view.results
    return {
        **_since(digest.since, listener),
        **_drawing(digest.view, language),
        "won": game_sentence(digest.view, listener),
        "gold": gold_at_the_end(digest.view, listener),
        "rounds": tuple(round_sentence(result, listener) for result in results),
    }


def _goes_on(view: View, listener: Listener) -> str:
    """What the game waits for; and that the round is dealt, unless it is over as well by now."""
    asked = awaiting_sentence(view.awaiting, listener)
    if len(view.results) == view.round:
        return asked
    return listener.language.gettext(
        "Round %(round)s is dealt. %(asked)s", round=view.round, asked=asked
    )


def _due(digest: TurnDigest, language: Language) -> str:
    zone = zone_for(digest.envelope.zone)
    return deadline(digest.deadline_at, now=digest.now, zone=zone, language=language)


def _before_the_deal(
    digest: InvitationDigest | ReadyCheckDigest | DealtDigest, language: Language
) -> Contents:
    return {
        "facts": table_facts(digest.table, digest.seats, language),
        "seats": seats_before_the_deal(digest.seats, language),
    }


def _since(told: Sequence[Told], listener: Listener) -> Contents:
    """What happened, oldest first; only the latest when it was much."""
    sentences = tuple(_sentences(told[-MOST_TURNS:], listener))
    return {"since": sentences, "left_out": max(0, len(told) - MOST_TURNS)}


def _sentences(told: Sequence[Told], listener: Listener) -> Iterator[str]:
    for turn in told:
        first, *others = [sentence(line, listener) for line in turn.lines] or [""]
        if turn.by == "clock":
            first = listener.language.gettext("%(sentence)s (Time had run out.)", sentence=first)
        yield from filter(None, (first, *others))


def _position(digest: TurnDigest | RoundOverDigest, listener: Listener) -> Contents:
    """What the recipient knows of the game as it stands."""
    view, language = digest.view, listener.language
    return {
        **_drawing(view, language),
        "role": role_reminder(view, listener),
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


_CONTENTS: Final[dict[type[Digest], Callable[[Any, Language], Contents]]] = {
    SignInDigest: _of_sign_in,
    InvitationDigest: _of_invitation,
    ReadyCheckDigest: _of_ready_check,
    DealtDigest: _of_dealt,
    TurnDigest: _of_turn,
    RoundOverDigest: _of_round_over,
    GameOverDigest: _of_game_over,
}
