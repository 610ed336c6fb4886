"""Sentences about what moderators do to a game, the same in previews, on pages and in emails. Each act declares its own."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from webapp.kernel.i18n import N_, Language, Locale
from webapp.kernel.public_acts import PublicFacts
from webapp.kernel.rights import SERVER, VOTE, Relation
from webapp.wording import times
from webapp.wording.perspective import bot_label, player_name


class ActFacts(NamedTuple):
    """What a sentence needs: its text as the act declares it, the seat and the player it is about, and the change."""

    text: str
    seat: int | None
    name: str
    before: PublicFacts
    after: PublicFacts
    offerer: str | None = None
    """The person whose offer was accepted; None for the operator."""


_ACTOR_TEXTS: Final[dict[str, str]] = {
    Relation.STRANGER: N_("%(name)s, who was asked to join"),
    Relation.PLAYER: N_("%(name)s"),
    Relation.HOST: N_("%(name)s, the host"),
    Relation.CLUB_MODERATOR: N_("%(name)s, a moderator of the club"),
    Relation.CLUB_FOUNDER: N_("%(name)s, the founder of the club"),
    Relation.SITE_MODERATOR: N_("%(name)s, a moderator of this site"),
}


def act_sentence(facts: ActFacts, locale: Locale) -> str:
    """Return what an act changes."""
    language = locale.language
    return language.gettext(
        facts.text,
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


def _offerer_name(name: str | None, language: Language) -> str:
    if name is None:
        return language.gettext("the operator of this site")
    return player_name(name, language)


def _instant(at: datetime | None, locale: Locale) -> str:
    if at is None:
        return ""
    return times.absolute_time(at, now=locale.now, zone=locale.zone, language=locale.language)


def _length(length: timedelta | None, language: Language) -> str:
    return "" if length is None else times.days_and_hours(length, language)
