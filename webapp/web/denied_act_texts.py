"""Sentences for acts on games that are not allowed: why, and from when on if a limit is reached."""

from typing import Final

from webapp.i18n import N_
from webapp.services.errors import DenialReason
from webapp.web.talk_texts import DENIED_TALK_TEXTS

DENIED_ACT_TEXTS: Final[dict[DenialReason, str]] = DENIED_TALK_TEXTS | {
    DenialReason.GAME_NOT_UNDER_WAY: N_(
        "This game isn't under way, so there is nothing to change."
    ),
    DenialReason.MUST_RESUME_FIRST: N_("This game is paused. Resume it first."),
    DenialReason.NOT_PAUSED: N_("This game isn't paused."),
    DenialReason.NO_DEADLINE: N_("There is no deadline to move: a bot is to play."),
    DenialReason.DEADLINE_TOO_FAR: N_(
        "The deadline can't move any further: it may be at most 30 days away."
    ),
    DenialReason.TOO_MANY_EXTENSIONS: N_(
        "This turn has been extended three times. Play the neutral action, or open the seat."
    ),
    DenialReason.CHANGED_MEANWHILE: N_(
        "Someone else has changed this game since you opened this page, so we did nothing. Here's how things stand now."
    ),
    DenialReason.SANCTIONED_MEANWHILE: N_(
        "Another moderator has acted on this person since you opened this page, so we did nothing. Please look at their page first."
    ),
    DenialReason.CANNOT_BE_UNDONE: N_(
        "Too much has changed since, so this can't be undone any more."
    ),
    DenialReason.UNDONE_ALREADY: N_("This has been undone already."),
    DenialReason.STRONGER_ACTED: N_("A moderator did this, so only a moderator can change it."),
    DenialReason.EXTENDS_OWN_TURN: N_("It's your own turn, so you can't give yourself more time."),
    DenialReason.NO_ONE_TO_NUDGE: N_("There's no one to remind: no person is to play."),
    DenialReason.SEAT_IS_OPEN: N_("No person sits there, so there's no one to take the seat from."),
    DenialReason.BOT_HOLDS_SEAT: N_("A bot sits there already."),
    DenialReason.NO_PERSON_HOLDS_SEAT: N_("No person sits in that seat."),
    DenialReason.NO_SUCH_SUBSTITUTE: N_(
        "We can't give the seat to a person with this name and address. They need an account with exactly both, and may neither play in this game nor have played in it."
    ),
    DenialReason.PERSON_HOLDS_SEAT: N_(
        "A person sits there. Someone else can take over only once the seat is open."
    ),
    DenialReason.NO_OPEN_OFFER: N_("There is no open offer of this seat."),
    DenialReason.OFFER_NO_LONGER_OPEN: N_(
        "This seat isn't open to you any more: the offer was answered or withdrawn, or someone else has the seat, or the game is over."
    ),
    DenialReason.OFFER_EXPIRED: N_("This offer has expired. Ask for another one."),
    DenialReason.OFFER_FOR_ANOTHER: N_(
        "This offer is for another person. Sign in with the email address that got it."
    ),
    DenialReason.OFFERS_TO_ONESELF: N_(
        "Neither the host of a table nor the person who offers a seat can take it."
    ),
    DenialReason.SEATS_CHANGED: N_(
        "The seats at this table have changed since you opened the page, so we did nothing. Here's how things stand now."
    ),
    DenialReason.REMOVES_HOST: N_("You can't remove yourself. Leave your seat instead."),
    DenialReason.HAD_SEAT_IN_GAME: N_(
        "You've had a seat in this game and have seen its cards, so you can't take another one."
    ),
    DenialReason.TOO_MANY_GAMES: N_(
        "You're in as many games as you can be for now, so we didn't give you another seat. Everyone starts with three at a time and gets one more for each game they finish with other people, up to a limit of this site. Finish a game first, or leave a table that hasn't started."
    ),
    DenialReason.NO_BOT_NAME_LEFT: N_("Every bot is in use at this table."),
    DenialReason.VOTE_OPEN: N_("Another vote is still open. Answer it first."),
    DenialReason.VOTE_OVER: N_("This vote is over. Nothing was changed."),
    DenialReason.VOTE_WAITS_FOR_PLAYER: N_(
        "You can't vote while a seat is open and its player can still come back. If it stays open for 14 days, you can vote to cancel the game."
    ),
    DenialReason.VOTE_OUTDATED: N_(
        "The table has changed since this vote began, so it no longer counts. You can propose it again."
    ),
    DenialReason.JOINED_AFTER_VOTE: N_(
        "This vote began before you joined the game, so you have no vote in it."
    ),
    DenialReason.ANSWERED_ALREADY: N_("You've already voted. A vote can't be changed."),
    DenialReason.VOTE_LOST_RECENTLY: N_(
        "The players voted on this less than a day ago and didn't agree. Please try again tomorrow."
    ),
    DenialReason.PAUSED_BY_MODERATOR: N_(
        "A moderator or the host has paused this game, so only they can resume it."
    ),
    DenialReason.LAST_ROUND: N_("This is the last round, so the game ends after it anyway."),
    DenialReason.NO_EARLIER_TURN: N_("The game can only go back to an earlier turn."),
    DenialReason.ALREADY_HOST: N_("That player is the host already."),
    DenialReason.EMAIL_NOT_FAILED: N_(
        "That email hasn't failed, so there's nothing to send again."
    ),
    DenialReason.EMAIL_SUPERSEDED: N_(
        "That email no longer applies: the game has moved on, or its reader doesn't want such emails."
    ),
}
LIMIT_TEXTS: Final[dict[DenialReason, str]] = {
    DenialReason.NUDGED_TODAY: N_(
        "This player has been reminded today. Once a day is enough. It's possible again from %(time)s."
    ),
    DenialReason.MUTED: N_(
        "A moderator has muted you, so you can't write messages until %(time)s."
    ),
    DenialReason.EMAILED_ENOUGH_TODAY: N_(
        "Everyone at this table has had many emails about such changes within a day. It's possible again from %(time)s."
    ),
    DenialReason.ACT_LIMIT_OF_GAME_REACHED: N_(
        "This has been done %(max)s times in this game within a day, which is the limit. It's possible again from %(time)s."
    ),
    DenialReason.ACT_LIMIT_OF_ACTOR_REACHED: N_(
        "You've done this %(max)s times within a day, which is the limit. It's possible again from %(time)s."
    ),
}
