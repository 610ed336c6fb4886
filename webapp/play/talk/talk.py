"""Table talk: players write to everyone at their table, between turns or with one, and may change that for five minutes.

It is no part of the game. It raises no ``seq``, no engine or bot reads it, and it sends no email of its own: the next email
about the table brings what was said. Only people who have a seat write, as long as the game lasts and for 30 days after it.

Messages are read by the people who sit there, and once the game is over by those who sat there. Onlookers read none,
not even of a public table: what players say to each other is not part of the game that they may watch.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.accounts import blocks
from webapp.accounts.names import plain_text_and_errors
from webapp.accounts.person import Person
from webapp.clock.pace.calendar import has_passed, lies_ahead
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import (
    DenialReason,
    FieldError,
    FieldErrors,
    LimitReached,
    NotAllowed,
    NotFound,
)
from webapp.kernel.statements import lock_count
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess
from webapp.play.queries import messages
from webapp.play.queries.messages import MessageRow, NewMessage, TalkFacts
from webapp.play.summaries import SeatSummary, TableSummary, name_of, seat_summaries, table_summary

MAX_MESSAGE_LENGTH: Final = 500
MAX_MESSAGES_PER_HOUR: Final = 30
"""The limit for one person at one table."""
EDIT_TIME: Final = timedelta(minutes=5)
TALK_TIME_AFTER_GAME: Final = timedelta(days=30)
_HOUR: Final = timedelta(hours=1)


class MessageInput(msgspec.Struct, frozen=True):
    """What a player sent: a text and the id of the form, so that a second press of its button stores nothing."""

    text: str
    form_id: str


class ShownMessage(Redacted, frozen=True, kw_only=True):
    """A message as one person reads it. Its text is what someone typed, never markup."""

    number: int
    seat: int
    name: str
    """The author's name at the table when they wrote it; empty once their account is deleted."""
    is_own: bool
    seq: int
    """The turn after which it was written."""
    text: str
    """Empty if a moderator has removed it."""
    at: datetime
    is_edited: bool
    is_removed: bool
    can_change: bool
    """Whether the viewer, who wrote it, may still change or delete it."""
    can_mute: bool
    """Whether the viewer may mute its author: someone else, whose account is not deleted."""


class TableTalk(Redacted, frozen=True, kw_only=True):
    """The messages that a table page shows."""

    messages: tuple[ShownMessage, ...]
    """The latest ones, oldest first; none for onlookers."""
    can_write: bool
    """Whether the viewer has a seat, from which they can write to the others."""


class MessagePage(Redacted, frozen=True, kw_only=True):
    table: TableSummary
    seats: tuple[SeatSummary, ...]
    message: ShownMessage
    removal_reason: str | None
    """Why a moderator has removed it; only its author is shown that."""


def checked_message(typed_text: str) -> str:
    """Return the message on one line, so that no part of it can pass for a line by someone else. Raises FieldErrors for ``message``."""
    line = " ".join(typed_text.split())
    text, errors = plain_text_and_errors("message", line, max_length=MAX_MESSAGE_LENGTH)
    if errors:
        raise FieldErrors(*errors)
    if not text:
        raise FieldErrors(FieldError("message", "required"))
    return text


def send_message(
    tx: Tx,
    access: GameAccess,
    message_input: MessageInput,
    *,
    seq: int | None = None,
) -> None:
    """Store a message to the table, after turn ``seq``, by default the latest one. Do nothing if the form was sent before.

    Raises FieldErrors for ``message``, NotAllowed for people without a seat, and LimitReached.
    """
    author, seat = require_seat(access)
    text = checked_message(message_input.text)
    row = access.game.row
    lock_count(tx, "messages", row.id)
    facts = messages.facts_for(
        tx, row.id, author.id, form_id=message_input.form_id, since=tx.now - _HOUR
    )
    if facts.is_repeated:
        return
    _require_talk_open(facts, tx.now)
    new_message = NewMessage(
        game_id=row.id,
        number=facts.newest_number + 1,
        account_id=author.id,
        seat=seat,
        name=name_of(row.seats[seat]),
        seq=row.seq if seq is None else seq,
        text=text,
        at=tx.now,
        form_id=message_input.form_id,
    )
    messages.add(tx, new_message)


def edit_message(tx: Tx, access: GameAccess, number: int, typed_text: str) -> None:
    """Replace the text of the viewer's own message. Raises NotFound, FieldErrors, and NotAllowed once its time is over."""
    message = _own_message(tx, access, number)
    if not message.text:
        raise NotFound
    text = checked_message(typed_text)
    if text != message.text:
        messages.change_text(tx, access.game.row.id, number, text)


def delete_message(tx: Tx, access: GameAccess, number: int) -> None:
    """Delete the viewer's own message, unless it is gone already. Raises NotFound, and NotAllowed once its time is over."""
    _own_message(tx, access, number)
    messages.delete_text(tx, access.game.row.id, number)


def require_seat(access: GameAccess) -> tuple[Person, int]:
    """Return the viewer and their seat. Raises NotAllowed without one, and before the deal."""
    if access.person is None or access.seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if not access.game.is_dealt:
        raise NotAllowed(DenialReason.NOT_RUNNING)
    return access.person, access.seat


def _can_still_change(message: MessageRow, *, now: datetime) -> bool:
    """Return whether its author may still change or delete a message."""
    return message.removed_at is None and not has_passed(message.at + EDIT_TIME, now=now)


def _own_message(tx: Tx, access: GameAccess, number: int) -> MessageRow:
    author, _ = require_seat(access)
    message = messages.find_own(tx, access.game.row.id, author.id, number)
    if message is None:
        raise NotFound
    if not _can_still_change(message, now=tx.now):
        raise NotAllowed(DenialReason.MESSAGE_FIXED)
    return message


def _require_talk_open(facts: TalkFacts, now: datetime) -> None:
    if facts.ended_at is not None and has_passed(facts.ended_at + TALK_TIME_AFTER_GAME, now=now):
        raise NotAllowed(DenialReason.TALK_OVER)
    if lies_ahead(facts.muted_until, now=now):
        raise LimitReached(DenialReason.MUTED, limit=0, possible_at=facts.muted_until)
    if facts.recent_count >= MAX_MESSAGES_PER_HOUR:
        raise NotAllowed(DenialReason.TOO_MANY_MESSAGES)


def may_read_talk(access: GameAccess) -> bool:
    """Return whether the viewer sits at the table, or sat there and the game is over."""
    row = access.game.row
    is_former_player = row.has_viewer_sat and access.game.is_revealed
    return access.person is not None and (access.seat is not None or is_former_player)


def table_talk(access: GameAccess, *, now: datetime) -> TableTalk:
    """Return the latest messages as the viewer reads them; none for people who may not."""
    rows = access.game.row.messages if may_read_talk(access) else ()
    viewer_id = None if access.person is None else access.person.id
    return TableTalk(
        messages=shown_messages(rows, viewer_id, now=now), can_write=access.seat is not None
    )


def messages_of_turns(
    tx: Tx, access: GameAccess, first_seq: int, last_seq: int
) -> tuple[ShownMessage, ...]:
    """Return the messages that were written after these turns, oldest first."""
    if access.person is None or not may_read_talk(access):
        return ()
    rows = messages.messages_between(
        tx,
        access.game.row.id,
        access.person.id,
        first_seq=first_seq,
        last_seq=last_seq,
    )
    return shown_messages(rows, access.person.id, now=tx.now)


def _find_message(tx: Tx, access: GameAccess, number: int) -> ShownMessage | None:
    """Return one message that the viewer reads."""
    if access.person is None or not may_read_talk(access):
        return None
    row = messages.find(tx, access.game.row.id, access.person.id, number)
    return None if row is None else shown_messages([row], access.person.id, now=tx.now)[0]


def shown_messages(
    rows: Iterable[MessageRow], viewer_id: int | None, *, now: datetime
) -> tuple[ShownMessage, ...]:
    """Return stored messages as this person reads them."""
    return tuple(
        ShownMessage(
            number=row.number,
            seat=row.seat,
            name=row.name,
            is_own=row.account_id == viewer_id,
            seq=row.seq,
            text=row.text,
            at=row.at.replace(microsecond=0),
            is_edited=row.edited_at is not None,
            is_removed=row.removed_at is not None,
            can_change=row.account_id == viewer_id and _can_still_change(row, now=now),
            can_mute=row.account_id != viewer_id and row.name != "",
        )
        for row in rows
    )


def message_page(tx: Tx, access: GameAccess, number: int) -> MessagePage | None:
    """Return a message with its table; None if there is none that the viewer may read."""
    message = _find_message(tx, access, number)
    if message is None:
        return None
    row = access.game.row
    return MessagePage(
        table=table_summary(row),
        seats=seat_summaries(row, me=access.seat),
        message=message,
        removal_reason=_removal_reason(tx, access, message),
    )


def _removal_reason(tx: Tx, access: GameAccess, message: ShownMessage) -> str | None:
    if access.person is None or not (message.is_own and message.is_removed):
        return None
    return messages.removal_reason(tx, access.game.row.id, access.person.id, message.number)


def mute_author(tx: Tx, access: GameAccess, number: int) -> str:
    """Mute who wrote this message and return their name in it; muting them again changes nothing.

    Raises NotFound for messages that the viewer may not read, their own, and those of deleted accounts.
    """
    person = access.person
    if person is None or not may_read_talk(access):
        raise NotFound
    author = messages.find_author(tx, access.game.row.id, number)
    if author is None or author.account_id == person.id or not author.name:
        raise NotFound
    blocks.mute_account(tx, person, author.account_id, name=author.name)
    return author.name
