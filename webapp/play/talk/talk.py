"""Table talk: players write to everyone at their table, between turns or with one, and may change that for five minutes.

It is no part of the game. It raises no ``seq``, no engine or bot reads it, and it sends no email of its own: the next email
about the table brings what was said. Only people who have a seat write, as long as the game lasts and for 30 days after it.
"""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from webapp.accounts.names import plain_text_and_errors
from webapp.accounts.person import Person
from webapp.clock.pace.arithmetic import has_passed
from webapp.kernel.counting_locks import lock_count
from webapp.kernel.errors import (
    DenialReason,
    FieldError,
    FieldErrors,
    LimitReached,
    NotAllowed,
    NotFound,
)
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess
from webapp.play.queries import messages
from webapp.play.queries.messages import MessageRow, NewMessage, TalkFacts
from webapp.play.summaries import name_of

MAX_MESSAGE_LENGTH: Final = 500
MAX_MESSAGES_PER_HOUR: Final = 30
"""By one person at one table."""
EDIT_TIME: Final = timedelta(minutes=5)
TALK_TIME_AFTER_GAME: Final = timedelta(days=30)
_HOUR: Final = timedelta(hours=1)


class MessageInput(msgspec.Struct, frozen=True):
    """What a player sent: a text and the id of the form, so that a second press of its button stores nothing."""

    text: str
    form_id: str


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


def can_still_change(message: MessageRow, *, now: datetime) -> bool:
    """Return whether its author may still change or delete a message."""
    return message.removed_at is None and not has_passed(message.at + EDIT_TIME, now=now)


def _own_message(tx: Tx, access: GameAccess, number: int) -> MessageRow:
    author, _ = require_seat(access)
    message = messages.find_own(tx, access.game.row.id, author.id, number)
    if message is None:
        raise NotFound
    if not can_still_change(message, now=tx.now):
        raise NotAllowed(DenialReason.MESSAGE_FIXED)
    return message


def _require_talk_open(facts: TalkFacts, now: datetime) -> None:
    if facts.ended_at is not None and has_passed(facts.ended_at + TALK_TIME_AFTER_GAME, now=now):
        raise NotAllowed(DenialReason.TALK_OVER)
    if facts.muted_until is not None and not has_passed(facts.muted_until, now=now):
        raise LimitReached(DenialReason.MUTED, limit=0, possible_at=facts.muted_until)
    if facts.recent_count >= MAX_MESSAGES_PER_HOUR:
        raise NotAllowed(DenialReason.TOO_MANY_MESSAGES)
