"""Sentences about what moderators do to a game: one for each act, the same in previews, on pages and in emails."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from webapp.i18n import N_, Language
from webapp.rights import SERVER, VOTE, GameRight, Relation
from webapp.wording import times
from webapp.wording.bots import bot_label
from webapp.wording.perspective import player_name


class ChangedFacts(Protocol):
    """One side of a change, as services return it."""

    @property
    def deadline_at(self) -> datetime | None: ...
    @property
    def time_left(self) -> timedelta | None: ...
    @property
    def turn(self) -> int | None: ...
    @property
    def bot_name(self) -> str | None: ...
    @property
    def bot_level(self) -> str | None: ...
    @property
    def until(self) -> datetime | None: ...
    @property
    def offer(self) -> int | None: ...
    @property
    def offered_by(self) -> int | None: ...


class ActFacts(NamedTuple):
    """What a sentence needs: the act, the seat and the player it is about, and the change."""

    act: GameRight
    seat: int | None
    name: str
    before: ChangedFacts
    after: ChangedFacts
    offerer: str | None = None
    """The person whose offer was accepted; None for the operator."""


class ActLocale(NamedTuple):
    """The language and the time zone of the reader, and the present time."""

    language: Language
    zone: ZoneInfo
    now: datetime


_SENTENCES: Final[dict[GameRight, str]] = {
    GameRight.NUDGE: N_("%(name)s gets another reminder."),
    GameRight.EXTEND: N_("%(name)s's deadline moves from %(deadline_before)s to %(deadline)s."),
    GameRight.PAUSE: N_(
        "The game is paused. When it's resumed, %(name)s will have at least %(time_left)s left."
    ),
    GameRight.RESUME: N_("The game is resumed. %(name)s's deadline is %(deadline)s."),
    GameRight.PLAY_NEUTRAL: N_("%(name)s's turn is played as if time had run out."),
    GameRight.OPEN_SEAT: N_(
        "%(name)s leaves the game, and seat %(seat)s is open. Until someone takes it over, its turns are played when time runs out."
    ),
    GameRight.OFFER_SEAT: N_(
        "Seat %(seat)s is offered to another person, who can accept until %(until)s."
    ),
    GameRight.WITHDRAW_OFFER: N_("The offer of seat %(seat)s is withdrawn."),
    GameRight.SEAT_PERSON: N_("%(name)s takes over seat %(seat)s."),
    GameRight.SEAT_BOT: N_("%(bot)s takes over seat %(seat)s."),
    GameRight.RENAME_SEAT: N_("The player in seat %(seat)s is now called %(name)s."),
    GameRight.REWIND: N_(
        "The game goes back from turn %(turn_before)s to where it stood after turn %(turn)s."
    ),
    GameRight.CANCEL_GAME: N_("The game is cancelled for good."),
    GameRight.HAND_OVER_TABLE: N_("%(name)s becomes the host of this table."),
    GameRight.ANNOUNCE_TO_TABLE: N_("Everyone at this table gets a message."),
    GameRight.RESEND_EMAIL: N_("An email to %(name)s is sent again."),
    GameRight.PEEK: N_("A moderator looked at all roles and cards."),
}
_ACCEPTED_OFFER_TEXT: Final = N_(
    "%(name)s takes over seat %(seat)s. It was offered by %(offerer)s."
)
"""Of a person who has accepted an offer."""
_SENTENCES_WITHOUT_CLOCK: Final[dict[GameRight, str]] = {
    GameRight.PAUSE: N_("The game is paused."),
    GameRight.RESUME: N_("The game is resumed."),
}
"""While a bot is to play, there is no deadline."""
_ACT_NOTES: Final[dict[GameRight, str]] = {
    GameRight.NUDGE: N_("A player gets at most one such reminder a day."),
    GameRight.EXTEND: N_(
        "At most 14 days at once, three times in a turn, and never to more than 30 days from now."
    ),
    GameRight.PAUSE: N_(
        "No one can play until the game is resumed. Then the player on turn has as much time left as now, or a fifth of the time per turn if that is more."
    ),
    GameRight.PLAY_NEUTRAL: N_(
        "Usually a random card is discarded, face down. This can't be undone, except by taking the game back."
    ),
    GameRight.OPEN_SEAT: N_(
        "The player can't see the game any more until it's over. As long as the seat is open, you can undo this."
    ),
    GameRight.OFFER_SEAT: N_(
        "No one is seated before they accept. The person who accepts sees exactly what the player before them has seen in this seat."
    ),
    GameRight.SEAT_BOT: N_("Bots know only what a player in their seat would know."),
    GameRight.RENAME_SEAT: N_(
        "The deal record keeps the old name: every player got it before the deal."
    ),
    GameRight.REWIND: N_(
        "Everything after that is taken back; the deck keeps its order, and players remember what they have seen."
    ),
    GameRight.CANCEL_GAME: N_(
        "You can't undo this. There will be no winner. All roles, cards and goals are revealed to everyone who can see the game."
    ),
}
_ACTOR_TEXTS: Final[dict[str, str]] = {
    Relation.STRANGER: N_("%(name)s, who was asked to join"),
    Relation.PLAYER: N_("%(name)s"),
    Relation.HOST: N_("%(name)s, the host"),
    Relation.CLUB_MODERATOR: N_("%(name)s, a moderator of the club"),
    Relation.CLUB_FOUNDER: N_("%(name)s, the founder of the club"),
    Relation.SITE_MODERATOR: N_("%(name)s, a moderator of this site"),
}


_SERVER_REASONS: Final = (
    N_("The host has deleted their account."),
    N_("The last person who was playing has deleted their account."),
    N_("Everyone who plays has agreed."),
    N_("The others are waiting."),
    N_("The pause that the players agreed on has lasted 30 days."),
    N_("The player has missed too many turns."),
    N_("No email about the turn could be delivered."),
    N_("They came back before someone else took the seat."),
    N_("They stepped in for a player who had missed too many turns."),
    N_("They stepped in for a player whose emails could not be delivered."),
    N_("Its seats weren't all taken within three weeks."),
)
"""Reasons that the server gives by itself, as ``succession``, ``late_players``, ``open_seats``, ``votes`` and ``nudges`` in services store them."""


def act_sentence(facts: ActFacts, locale: ActLocale) -> str:
    """Return what an act changes."""
    language = locale.language
    return language.gettext(
        _message(facts),
        name=player_name(facts.name, language),
        seat=0 if facts.seat is None else facts.seat + 1,
        bot=bot_label(facts.after.bot_name or "", facts.after.bot_level, language),
        turn=facts.after.turn,
        turn_before=facts.before.turn,
        time_left=_length(facts.after.time_left, language),
        deadline=_instant(facts.after.deadline_at, locale),
        until=_instant(facts.after.until, locale),
        offerer=_offerer_name(facts.offerer, language),
        deadline_before=_instant(facts.before.deadline_at, locale),
    )


def act_note(act: GameRight, language: Language) -> str:
    """Return what one should know before performing an act; empty if there is nothing to add."""
    return language.gettext(_ACT_NOTES[act]) if act in _ACT_NOTES else ""


def actor_sentence(name: str | None, acted_as: str, language: Language) -> str:
    """Return who acted, and as what."""
    if acted_as == SERVER:
        return language.gettext("The server, by itself")
    if acted_as == VOTE:
        return language.gettext("A vote of all players")
    if name is None:
        return language.gettext("The operator of this site")
    return language.gettext(
        _ACTOR_TEXTS.get(acted_as, "%(name)s"), name=player_name(name, language)
    )


def reason_sentence(reason: str, acted_as: str, language: Language) -> str:
    """Return the reason of an act: as it was typed, or translated if the server itself or a vote acted."""
    return language.gettext(reason) if acted_as in {SERVER, VOTE} else reason


def _is_acceptance(facts: ActFacts) -> bool:
    """Return whether a person accepted an offer, and it is known whose it was; where it isn't, it is left out."""
    if facts.act != GameRight.SEAT_PERSON or facts.before.offer is None:
        return False
    return facts.offerer is not None or facts.before.offered_by is None


def _offerer_name(name: str | None, language: Language) -> str:
    if name is None:
        return language.gettext("the operator of this site")
    return player_name(name, language)


def _message(facts: ActFacts) -> str:
    if _is_acceptance(facts):
        return _ACCEPTED_OFFER_TEXT
    has_clock = facts.after.deadline_at is not None or facts.after.time_left is not None
    text_without_clock = _SENTENCES_WITHOUT_CLOCK.get(facts.act)
    return _SENTENCES[facts.act] if has_clock or not text_without_clock else text_without_clock


def _instant(at: datetime | None, locale: ActLocale) -> str:
    if at is None:
        return ""
    return times.absolute_time(at, now=locale.now, zone=locale.zone, language=locale.language)


def _length(length: timedelta | None, language: Language) -> str:
    return "" if length is None else times.days_and_hours(length, language)
