"""Sentences for what services and forms refuse. Each says what is wrong and what would be right."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.services.errors import DenialReason, FieldError, LimitReached, NotAllowed
from webapp.web.denied_act_texts import DENIED_ACT_TEXTS, LIMIT_TEXTS
from webapp.web.invitation_messages import INVITATION_FIELD_TEXTS
from webapp.web.pace_field_errors import PACE_FIELD_TEXTS
from webapp.web.talk_texts import TALK_FIELD_TEXTS
from webapp.wording import times
from webapp.wording.acts import ActLocale

_FIELD_ERROR_TEXTS: Final[dict[str, str]] = {
    "required": N_("Please fill this in."),
    "too-long": N_("Please use at most %(max)s characters."),
    "not-an-address": N_("Please enter an email address, like name@example.org."),
    "mailbox-not-ascii": N_(
        "We can't send email to addresses with such characters before the @ yet. Please use another one."
    ),
    "unknown": N_("Please pick one of the choices listed."),
    "out-of-range": N_("Please enter a number from %(low)s to %(high)s."),
    "not-a-number": N_("Please enter a whole number, such as 2."),
    "control-characters": N_(
        "This contains characters we can't show. Please use plain text on one line."
    ),
    "not-a-colour": N_("Please enter a colour as # and six digits from 0 to f, such as #7a4a12."),
    "not-a-switch": N_("Please enter on or off."),
    "no-passkey": N_(
        "You don't have a passkey yet, so this would lock you out. Add one on the security page of your account first."
    ),
    "low-contrast": N_(
        "This colour is too pale: text in it would be hard to read. Please choose a darker one."
    ),
    "email-held": N_("Only `lodepost release` can open a restored copy."),
    "clocks-shifting": N_(
        "Deadlines are still being moved after the last maintenance. Please try again in a minute."
    ),
    "changed-meanwhile": N_(
        "Someone else changed the settings since you opened this page. Here they are as they are now."
    ),
    "duplicate": N_("You've already invited this address. That invitation still works."),
    "too-many": N_("That's too many. The limit is %(max)s."),
    "not-both": N_("Please fill in a name or an address, not both."),
    "too-many-lines": N_("Please use at most %(max)s lines."),
    "not-plain-text": N_(
        "This contains characters that are invisible or hide the text around them. Please use plain text."
    ),
    "not-a-time": N_("Please enter a time, such as 22:30."),
    "skipped": N_(
        "That time doesn't exist on that day, because the clocks go forward. Please choose another."
    ),
    "over-already": N_("That's over already. Please choose a later day or time."),
    "too-far": N_("That's too far ahead. Please choose a day within the next year."),
    "too-long-away": N_("You can be away for at most %(max)s days at a time."),
    "too-many-absences": N_(
        "You've planned %(max)s times away, which is the limit. Change or remove one of them first."
    ),
    "too-often-today": N_(
        "You've entered many times away today. Please change one of them, or try again tomorrow."
    ),
    "overlaps": N_(
        "You're already away for part of that time. Please change that time away instead."
    ),
    "no-weekday": N_("Please choose the days on which your quiet hours begin."),
    "too-quiet": N_("Quiet hours can last at most %(max)s hours at a time."),
    "not-a-cell": N_("That isn't a cell of the mine. Cells are a column and a row, such as D5."),
}
_TEXTS_OF_ONE_FIELD: Final[dict[tuple[str, str], str]] = (
    PACE_FIELD_TEXTS
    | INVITATION_FIELD_TEXTS
    | TALK_FIELD_TEXTS
    | {
        ("seats", "out-of-range"): N_("A table has %(low)s to %(high)s players."),
        ("starter", "out-of-range"): N_(
            "This table doesn't have that seat. Please pick another, or choose at random."
        ),
        ("seat", "out-of-range"): N_("This table doesn't have that seat. Please pick a free one."),
        ("allowance", "out-of-range"): N_("Please choose a time from five minutes to thirty days."),
        ("level", "unknown"): N_("Please choose how the bots play: easy, steady or keen."),
        ("rulebook", "unknown"): N_("Please pick one of the rulebooks listed."),
        ("salt", "too-long"): N_(
            "Your random words are too long. Please use at most %(max)s bytes."
        ),
        ("name", "taken"): N_(
            "That looks too much like %(name)s, another player at this table. Please choose a different name."
        ),
        ("starts_on", "not-a-date"): N_("Please enter a date, such as 2026-03-31."),
        ("ends_on", "not-a-date"): N_("Please enter a date, such as 2026-03-31."),
        ("ends_on", "before-start"): N_("The last day can't be before the first."),
        ("first_day", "not-a-date"): N_("Please enter a date, such as 2026-03-31."),
        ("last_day", "not-a-date"): N_("Please enter a date, such as 2026-03-31."),
        ("last_day", "before-start"): N_("The last day can't be before the first."),
        ("last_time", "before-start"): N_(
            "You'd be back before you leave. Please choose a later time."
        ),
        ("club", "unknown"): N_(
            "You can't open tables in that club. Please choose another, or none."
        ),
        ("address", "unchanged"): N_("That's the address you already use."),
        ("address", "not-yours"): N_("Please type the email address of this account."),
        ("address", "too-often"): N_(
            "You've asked for several changes today. Please try again tomorrow."
        ),
        ("passkey", "too-many"): N_(
            "You have %(max)s passkeys, which is the limit. Remove one first."
        ),
        ("steps", "unknown"): N_("A step of this plan can't be read. Nothing was changed."),
        ("steps", "duplicate"): N_("Two steps of this plan are the same. Nothing was changed."),
        ("steps", "too-many"): N_("A plan has at most %(max)s steps. Nothing was changed."),
        ("salt", "required"): N_(
            "Please keep the suggested words, or type some of your own. Every player adds some."
        ),
        ("steps", "required"): N_("A plan needs at least one step. Nothing was changed."),
        ("zone", "unknown"): N_("We don't know that time zone. Please pick one from the list."),
    }
)
_DENIED_TEXTS: Final[dict[DenialReason, str]] = DENIED_ACT_TEXTS | {
    DenialReason.NOT_HOST: N_("Only the host of this table can do that."),
    DenialReason.LOBBY_CLOSED: N_(
        "The game has started or the table was cancelled, so its seats can't change."
    ),
    DenialReason.NOT_RUNNING: N_("This game isn't running, so you can't play a turn."),
    DenialReason.GAME_NOT_OVER: N_("This game isn't over yet."),
    DenialReason.VIEWER_MAY_PLAY: N_(
        "You play, played or are invited to play in this game, so you can't look at its cards."
    ),
    DenialReason.PAUSED: N_("This game is paused. You can play once it's resumed."),
    DenialReason.NOTHING_TO_PLAN: N_("This game is over, so there are no turns left to plan."),
    DenialReason.PLAN_OUT_OF_DATE: N_(
        "Something happened in the game before you pressed the button, so this plan wasn't saved. Have a look, and save it again if it still fits."
    ),
    DenialReason.PLANS_OWN_TURN: N_(
        "It's your turn already, so your plan wasn't saved. Play on the game page."
    ),
    DenialReason.BETWEEN_ROUNDS: N_(
        "The round is over. You can plan your next turn once new cards are dealt."
    ),
    DenialReason.TABLE_FULL: N_("All seats at this table are taken."),
    DenialReason.SEAT_TAKEN: N_("That seat is taken. Please choose a free one."),
    DenialReason.INVITATIONS_UNANSWERED: N_(
        "Someone you invited hasn't answered yet. Bots take the seats only if you confirm that."
    ),
    DenialReason.ALREADY_SEATED: N_("You already have a seat at this table."),
    DenialReason.NOT_SEATED: N_("You don't have a seat at this table."),
    DenialReason.NO_NAME: N_("Please choose a name first. Other players will see it."),
    DenialReason.FREE_SEATS: N_(
        "There are still free seats. Once they're all taken, everyone is asked to confirm that they're ready."
    ),
    DenialReason.INVITATION_USED: N_(
        "This invitation has already been used. Each invitation is for one person. Please ask for another one."
    ),
    DenialReason.ADDRESS_TAKEN: N_(
        "This address has got an account in the meantime, so it can't be used for yours."
    ),
    DenialReason.SEAT_REFUSED: N_(
        "You can't take a seat at this table. The seats that are left may be meant for others."
    ),
    DenialReason.PEEKED_AT_GAME: N_(
        "Someone who has looked at the roles and cards of a game as a moderator can't play in it."
    ),
    DenialReason.SAT_AT_TABLE: N_(
        "You had a seat in this game and have seen its cards, so you can't moderate it before it's over."
    ),
    DenialReason.PASSKEY_REFUSED: N_(
        "That passkey didn't work here. Please try again, or use an email instead."
    ),
    DenialReason.ANNOUNCED_ALREADY: N_("Please withdraw the present announcement first."),
    DenialReason.ANNOUNCEMENT_GONE: N_("That announcement has expired or was withdrawn already."),
    DenialReason.TOO_MANY_SITE_ANNOUNCEMENTS: N_(
        "There were several announcements today, and people stop reading them. Please try again tomorrow."
    ),
    DenialReason.SANCTIONS_ONESELF: N_(
        "You can't do that to yourself. Please ask another moderator."
    ),
    DenialReason.SANCTIONS_MODERATOR: N_(
        "Site moderators can't do that to each other. The operator can remove a moderator's rights first."
    ),
    DenialReason.NOT_BANNED: N_("This person isn't banned."),
    DenialReason.REPORTED_ALREADY: N_("We already have your report. A moderator will look at it."),
    DenialReason.APPEALED_ALREADY: N_("You've already sent an appeal. It's below."),
    DenialReason.REPORTS_ONESELF: N_("You can't report yourself."),
    DenialReason.TOO_MANY_REPORTS: N_(
        "You've sent many reports today. We'll look at them first. Please try again tomorrow."
    ),
    DenialReason.REPORT_DECIDED: N_("Another moderator has already decided on this report."),
    DenialReason.TOO_MANY_TABLES: N_(
        "You have too many tables that haven't started. Start or cancel one of them first."
    ),
    DenialReason.OPENED_ENOUGH_TODAY: N_(
        "You've opened many tables today. Please try again tomorrow."
    ),
    DenialReason.RELIABILITY_TOO_LOW: N_(
        "This table is for players who take at least %(needed)s%% of their turns in time. You're at %(percent)s%%."
    ),
    DenialReason.NOT_CLUB_MODERATOR: N_(
        "Only the founder and the moderators of this club can do that."
    ),
    DenialReason.NOT_CLUB_FOUNDER: N_("Only the founder of this club can do that."),
    DenialReason.NOT_IN_CLUB: N_("Only members of this club can do that."),
    DenialReason.ALREADY_IN_CLUB: N_("You're already a member of this club."),
    DenialReason.NOT_YET_IN_CLUB: N_("They've asked to join, but they aren't a member yet."),
    DenialReason.MEMBER_GONE: N_(
        "That person has left, or someone else has already answered. Here's the list as it is now."
    ),
    DenialReason.CLUB_CLOSED: N_("This club is closed. Its games and standings stay here."),
    DenialReason.CLUB_FULL: N_("This club is full. Ask its founder to make room."),
    DenialReason.FOUNDER_CANNOT_BE_REMOVED: N_(
        "The founder can't be removed or given another role."
    ),
    DenialReason.FOUNDER_MUST_HAND_OVER: N_(
        "You founded this club, so it needs a new founder first. Hand it over on the page of members, or close it."
    ),
    DenialReason.REMOVES_ONESELF: N_("You can't remove yourself. Leave the club instead."),
    DenialReason.TOO_MANY_CLUBS: N_("You're in too many clubs. Leave one of them first."),
    DenialReason.TOO_MANY_FOUNDED: N_(
        "You've founded too many clubs. Hand one over or close one of them first."
    ),
    DenialReason.FOUNDED_ENOUGH_TODAY: N_(
        "You've founded several clubs today. Please try again tomorrow."
    ),
    DenialReason.TOO_MANY_ANNOUNCEMENTS: N_(
        "This club has sent all of its announcements for today. Please try again tomorrow."
    ),
    DenialReason.TOO_MANY_SEASONS: N_("This club has too many seasons. Delete one of them first."),
}
_CSRF_TEXT: Final = N_("This page had expired. Nothing was changed. Please try again.")
_STALE_TURN_TEXT: Final = N_(
    "This page was out of date, so we ignored that move. Nothing was played twice. Here's how things stand now."
)


def field_sentence(error: FieldError, language: Language) -> str:
    """Return what is wrong with one field of a form."""
    message = _TEXTS_OF_ONE_FIELD.get((error.field, error.code)) or _FIELD_ERROR_TEXTS[error.code]
    return language.gettext(message, **error.params)


def denied_sentence(reason: DenialReason, language: Language) -> str:
    """Return why an action is not allowed now."""
    return language.gettext(_DENIED_TEXTS[reason])


def refused_sentence(not_allowed: NotAllowed, locale: ActLocale) -> str:
    """Return why something is not allowed here and now; of a limit, also when it is possible again."""
    language = locale.language
    if not isinstance(not_allowed, LimitReached):
        return language.gettext(_DENIED_TEXTS[not_allowed.reason], **not_allowed.params)
    possible_at = times.absolute_time(
        not_allowed.possible_at, now=locale.now, zone=locale.zone, language=language
    )
    return language.gettext(
        LIMIT_TEXTS[not_allowed.reason], max=not_allowed.limit, time=possible_at
    )


def csrf_sentence(language: Language) -> str:
    """Return that the form does not belong to this browser's session."""
    return language.gettext(_CSRF_TEXT)


def stale_turn_sentence(language: Language) -> str:
    """Return that the game has moved on since the page was made."""
    return language.gettext(_STALE_TURN_TEXT)
