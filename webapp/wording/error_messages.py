"""Sentences for what use cases, the rules and forms refuse. Each says what is wrong and what would be right."""

from typing import Final, NamedTuple

from engine.errors import Reason
from webapp.kernel.i18n import N_, Language, Locale
from webapp.kernel.refusals import FieldError, LimitReached, NotAllowed
from webapp.wording import times


class Refusal(NamedTuple):
    """The sentence for a refusal, and the rule that explains it: an anchor on the rulebook's page."""

    text: str
    rule: str


_REFUSAL_TEXTS: Final[dict[Reason, str]] = {
    Reason.GAME_OVER: N_("This game is over, so there's nothing left to play."),
    Reason.NOT_YOUR_TURN: N_("It's another player's turn. You can play when it's yours."),
    Reason.CHOICE_FIRST: N_("There's a choice to make first. Make it, then the game continues."),
    Reason.NO_CHOICE_OPEN: N_("There's nothing to choose right now. Play a card or discard one."),
    Reason.NOT_IN_HAND: N_("That card isn't in your hand. Play one of the cards you hold."),
    Reason.HAND_NOT_EMPTY: N_("You can only pass with an empty hand. Play a card or discard one."),
    Reason.NOT_A_PATH_CARD: N_(
        "You can only lay path cards in the mine. Play this card for its effect or discard it."
    ),
    Reason.TOOLS_BROKEN: N_(
        "You can't lay path cards while one of your tools is broken. Repair it, play another action card or discard."
    ),
    Reason.NO_SUCH_CELL: N_("There's no such cell. Cells are a column and a row, such as D5."),
    Reason.CELL_TAKEN: N_("There's already a card there. Choose an empty cell."),
    Reason.NOT_BESIDE: N_(
        "There's no card next to that cell. Lay path cards beside a card in the mine."
    ),
    Reason.NOT_CONNECTED: N_(
        "No unbroken path leads from the start to that cell. In this rulebook, a path card has to continue one."
    ),
    Reason.GOAL_ALONE: N_(
        "You can't build on from goal cards alone. Continue from a path card or the start."
    ),
    Reason.EDGES_DIFFER: N_(
        "The card doesn't fit there that way: tunnels must meet tunnels and rock must meet rock on every side. Rotate the card or choose another cell."
    ),
    Reason.NOT_A_BROKEN_TOOL: N_(
        "Only a broken-tool card can break a tool. Choose one of those, or play this card for its effect."
    ),
    Reason.NO_SUCH_SEAT: N_("There's no such seat at this table. Choose one of the players."),
    Reason.SEAT_GIVEN_UP: N_("That player has left the game. Choose someone who's still playing."),
    Reason.ALREADY_BROKEN: N_(
        "That tool is already broken. Players can have only one broken tool of each kind."
    ),
    Reason.OWN_TOOL: N_("At this table, you can't break your own tools. Choose another player."),
    Reason.NOT_A_REPAIR: N_(
        "Only a repair card can repair a tool. Choose one of those, or play this card for its effect."
    ),
    Reason.WRONG_TOOL: N_("This card can't repair that tool. Choose a tool shown on the card."),
    Reason.NOTHING_TO_REPAIR: N_(
        "That tool isn't broken. Choose a broken tool that matches the card."
    ),
    Reason.NO_PATH_THERE: N_(
        "A rockfall can only remove a path card, not the start or a goal. Choose a cell with a path card."
    ),
    Reason.NOT_A_GOAL: N_("There's no goal there. Choose one of the three goals: I3, I5 or I7."),
    Reason.GOAL_FACE_UP: N_("That goal is already face up. Use a map on a face-down goal."),
    Reason.NOT_OFFERED: N_("That isn't one of the choices. Pick one of those shown."),
    Reason.LAST_ROUND: N_("This is the last round, so the game ends after it anyway."),
    Reason.LAST_SEAT: N_("This is the last seat in the game, so it can't be given up."),
    Reason.NO_SUCH_TURN: N_("There's no such turn to go back to."),
}


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
_TEXTS_OF_ONE_FIELD: Final[dict[tuple[str, str], str]] = {
    # Paces, and rules for late players.
    ("lowest_reliability", "above-own"): N_(
        "You take %(percent)s%% of your turns in time, so you couldn't join this table yourself. Please choose a lower share."
    ),
    ("bank", "out-of-range"): N_("A time bank has at most %(high)s hours."),
    ("bank", "below-refill"): N_(
        "The bank can't be smaller than what every turn puts back into it."
    ),
    ("refill", "out-of-range"): N_("Please enter how many hours every turn puts back."),
    ("weekdays", "empty"): N_("Please choose at least one playing day."),
    ("weekdays", "unknown"): N_("Please choose from the days listed."),
    ("weekdays", "too-slow"): N_(
        "With so few playing days and hours a turn could take more than a year. Please allow more of them, or less time."
    ),
    ("opens", "missing"): N_("Please say from when the clock runs, or leave both times empty."),
    ("closes", "missing"): N_("Please say until when the clock runs, or leave both times empty."),
    ("closes", "no-length"): N_(
        "The clock would never run. To let it run all day, leave both times empty."
    ),
    ("closes", "too-short"): N_("Please let the clock run for at least an hour a day."),
    ("pace", "unknown"): N_("Please choose one of the paces listed."),
    # Invitations, and names that emails show.
    ("address", "too-many"): N_(
        "This table has sent all of its %(max)s invitations. Share its link instead."
    ),
    ("address", "too-many-in-club"): N_(
        "This club has sent all of its %(max)s invitations. Share its link instead."
    ),
    ("address", "too-many-today"): N_(
        "You've sent all of your %(max)s club invitations for today. Share the club's link instead."
    ),
    ("address", "unanswered"): N_(
        "You've already invited this person and they haven't answered yet. You can share the table's link with them."
    ),
    ("address", "newcomer"): N_(
        "Until you've finished a game with other people you can send %(max)s invitations a day. Share the link instead."
    ),
    ("name", "link"): N_("Names can't contain web or email addresses, or slashes."),
    ("name", "brackets"): N_("Names can't contain brackets."),
    ("name", "reserved"): N_(
        "This name could be mistaken for someone who runs this site. Please choose another."
    ),
    ("name", "club-taken"): N_(
        "That looks too much like the name of another club. Please choose a different name."
    ),
    ("table_name", "required"): N_("Please type a name, not only punctuation."),
    ("table_name", "link"): N_("Names can't contain web or email addresses, or slashes."),
    ("table_name", "brackets"): N_("Names can't contain brackets."),
    ("table_name", "reserved"): N_(
        "This name could be mistaken for a message from this site. Please choose another."
    ),
    ("season_name", "link"): N_("Names can't contain web or email addresses, or slashes."),
    ("season_name", "brackets"): N_("Names can't contain brackets."),
    # Other fields.
    ("seats", "out-of-range"): N_("A table has %(low)s to %(high)s players."),
    ("starter", "out-of-range"): N_(
        "This table doesn't have that seat. Please pick another, or choose at random."
    ),
    ("seat", "out-of-range"): N_("This table doesn't have that seat. Please pick a free one."),
    ("allowance", "out-of-range"): N_("Please choose a time from five minutes to thirty days."),
    ("level", "unknown"): N_("Please choose how the bots play: easy, steady or keen."),
    ("rulebook", "unknown"): N_("Please pick one of the rulebooks listed."),
    ("salt", "too-long"): N_("Your random words are too long. Please use at most %(max)s bytes."),
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
    ("club", "unknown"): N_("You can't open tables in that club. Please choose another, or none."),
    ("address", "own"): N_("That's your own address, and you already have a seat."),
    ("address", "unchanged"): N_("That's the address you already use."),
    ("address", "not-yours"): N_("Please type the email address of this account."),
    ("address", "too-often"): N_(
        "You've asked for several changes today. Please try again tomorrow."
    ),
    ("passkey", "too-many"): N_("You have %(max)s passkeys, which is the limit. Remove one first."),
    ("steps", "unknown"): N_("A step of this plan can't be read. Nothing was changed."),
    ("steps", "duplicate"): N_("Two steps of this plan are the same. Nothing was changed."),
    ("steps", "too-many"): N_("A plan has at most %(max)s steps. Nothing was changed."),
    ("salt", "required"): N_(
        "Please keep the suggested words, or type some of your own. Every player adds some."
    ),
    ("steps", "required"): N_("A plan needs at least one step. Nothing was changed."),
    ("message", "required"): N_("There's nothing in your message yet. Please write something."),
    ("message", "too-long"): N_("Please use at most %(max)s characters for a message."),
    ("message", "not-plain-text"): N_(
        "Your message contains characters that are invisible or hide the text around them. Please use plain text."
    ),
    ("note", "too-long"): N_("Please use at most %(max)s characters for your notes."),
    ("zone", "unknown"): N_("We don't know that time zone. Please pick one from the list."),
}
_CSRF_TEXT: Final = N_("This page had expired. Nothing was changed. Please try again.")
_STALE_TURN_TEXT: Final = N_(
    "This page was out of date, so we ignored that move. Nothing was played twice. Here's how things stand now."
)


def field_sentence(error: FieldError, language: Language) -> str:
    """Return what is wrong with one field of a form."""
    message = _TEXTS_OF_ONE_FIELD.get((error.field, error.code)) or _FIELD_ERROR_TEXTS[error.code]
    return language.gettext(message, **error.params)


def refused_sentence(not_allowed: NotAllowed, locale: Locale) -> str:
    """Return why something is not allowed here and now; of a limit, also when it is possible again."""
    language = locale.language
    if not isinstance(not_allowed, LimitReached):
        return language.gettext(not_allowed.reason.value, **not_allowed.params)
    possible_at = times.absolute_time(
        not_allowed.possible_at, now=locale.now, zone=locale.zone, language=language
    )
    return language.gettext(not_allowed.reason.value, max=not_allowed.limit, time=possible_at)


def csrf_sentence(language: Language) -> str:
    """Return that the form does not belong to this browser's session."""
    return language.gettext(_CSRF_TEXT)


def stale_turn_sentence(language: Language) -> str:
    """Return that the game has moved on since the page was made."""
    return language.gettext(_STALE_TURN_TEXT)


def refusal(reason: Reason, language: Language) -> Refusal:
    return Refusal(language.gettext(_REFUSAL_TEXTS[reason]), reason.rule)
