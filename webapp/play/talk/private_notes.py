"""Private notes and marks: what a player writes down about a game for themselves, and whom they trust or suspect in a round.

They are no part of the game: they raise no ``seq``, and no one but their owner sees them or is shown that there are any.
Each round deals new roles, so a mark belongs to a round; a note belongs to the game. Once the roles of a round are shown, its
marks stay as they are.
"""

import hashlib
from collections.abc import Mapping
from typing import Final, get_args

from webapp.accounts.names import plain_text_and_errors
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed, NotFound
from webapp.kernel.tx import Tx
from webapp.play.access import GameAccess
from webapp.play.queries import notes
from webapp.play.queries.notes import MarkRow, Suspicion
from webapp.play.talk.talk import may_read_talk, require_seat

MAX_NOTE_LENGTH: Final = 2000
SUSPICIONS: Final[tuple[Suspicion, ...]] = get_args(Suspicion)


class PrivateNotes(Redacted, frozen=True, kw_only=True):
    """What the viewer has noted about a game."""

    text: str
    version: str
    """Names the text: a form that was made from another one replaces nothing."""
    marks: tuple[MarkRow, ...]
    """The marks of all rounds, in order."""
    can_write: bool
    """Whether the viewer has a seat; others keep what they noted while they had one."""

    def marks_of_round(self, number: int) -> Mapping[int, Suspicion]:
        """Return the marks of a round by seat."""
        return {mark.seat: mark.suspicion for mark in self.marks if mark.round == number}


def private_notes(access: GameAccess) -> PrivateNotes | None:
    """Return what the viewer has noted; None for people who have never played here."""
    if not may_read_talk(access):
        return None
    text = access.game.row.notes.text or ""
    return PrivateNotes(
        text=text,
        version=_version_of(text),
        marks=access.game.row.notes.marks or (),
        can_write=access.seat is not None,
    )


def save_note(tx: Tx, access: GameAccess, typed_text: str, *, replaced_version: str) -> None:
    """Replace the viewer's note; an empty text deletes it. A second press of the button changes nothing.

    Raises FieldErrors for ``note``, and NotAllowed without a seat or if the note is no longer the one that the form showed.
    """
    author, _ = require_seat(access)
    new_text, errors = plain_text_and_errors("note", typed_text, max_length=MAX_NOTE_LENGTH)
    if errors:
        raise FieldErrors(*errors)
    row = access.game.row
    old_text = row.notes.text or ""
    if new_text == old_text:
        return
    is_same = replaced_version == _version_of(old_text)
    if not is_same or not notes.replace_note(
        tx, row.id, author.id, old_text=old_text, new_text=new_text
    ):
        raise NotAllowed(DenialReason.NOTE_CHANGED)


def set_mark(
    tx: Tx, access: GameAccess, seat: int, suspicion: Suspicion | None, *, round_number: int
) -> None:
    """Mark the player in another seat as trusted or suspected in the present round, or remove the mark.

    Raises NotFound for a seat that is not another's, and NotAllowed without a seat or once the roles of that round are shown.
    """
    author, own_seat = require_seat(access)
    game = access.game
    if seat == own_seat or seat >= game.row.seat_count:
        raise NotFound
    view = game.view(own_seat)
    if round_number != view.round or view.roles[seat] is not None:
        raise NotAllowed(DenialReason.MARK_FIXED)
    if suspicion is None:
        notes.remove_mark(tx, game.row.id, author.id, round_number=round_number, seat=seat)
    else:
        mark = MarkRow(round=round_number, seat=seat, suspicion=suspicion)
        notes.set_mark(tx, game.row.id, author.id, mark)


def _version_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
