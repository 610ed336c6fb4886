"""Messages of a table as one person reads them: the people who sit there, and once the game is over those who sat there.

Onlookers read none, not even of a public table: what players say to each other is not part of the game that they may watch.
"""

from collections.abc import Iterable
from datetime import datetime

from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess, LoadedGame
from webapp.play.queries import messages
from webapp.play.queries.messages import MessageRow
from webapp.play.talk.talk import can_still_change


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
    """What a table page shows of what was said."""

    messages: tuple[ShownMessage, ...]
    """The latest ones, oldest first; none for onlookers."""
    can_write: bool
    """Whether the viewer has a seat, from which they can write to the others."""


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


def find_message(tx: Tx, access: GameAccess, number: int) -> ShownMessage | None:
    """Return one message that the viewer reads."""
    if access.person is None or not may_read_talk(access):
        return None
    row = messages.find(tx, access.game.row.id, access.person.id, number)
    return None if row is None else shown_messages([row], access.person.id, now=tx.now)[0]


def talk_version(tx: Tx, game: LoadedGame) -> str:
    """Return what changes whenever something is written, changed or removed at a table: for the ETag of a poll."""
    count, changed_at = messages.talk_version(tx, game.row.id)
    return f"{count}-{0 if changed_at is None else int(changed_at.timestamp())}"


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
            can_change=row.account_id == viewer_id and can_still_change(row, now=now),
            can_mute=row.account_id != viewer_id and row.name != "",
        )
        for row in rows
    )
