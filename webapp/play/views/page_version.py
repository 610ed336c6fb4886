"""The version of a game's page: a short text that changes whenever the page of this viewer has something new to show.

Browsers with an open page compare it every few seconds, so it is made of columns that access to the game has read anyway:
no position is decoded. It is made only of what the page itself shows its viewer.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from webapp.play.access import GameAccess
from webapp.play.changes.acts import shown_acts
from webapp.play.queries.rows import GameRow
from webapp.play.talk.talk import may_read_talk
from webapp.play.turns.turn_holding import shown_held_turn

_VERSION_LENGTH: Final = 16


def page_version(access: GameAccess) -> str:
    """Return the version of the page that this viewer has of the game now. Versions can only be compared."""
    facts = [*_facts_of_game(access), *_facts_of_seats(access.game.row), *_facts_of_viewer(access)]
    return sha256(repr(facts).encode()).hexdigest()[:_VERSION_LENGTH]


def _facts_of_game(access: GameAccess) -> Iterator[object]:
    game = access.game
    row = game.row
    yield from (row.slug, row.status.value, row.seq, row.turn_seq, row.starter, row.removal_count)
    yield None if row.status.is_over else row.deadline_at
    yield row.paused_at
    yield [(act.id, act.is_undone) for act in shown_acts(row.acts, is_over=game.is_revealed)]


def _facts_of_seats(row: GameRow) -> Iterator[object]:
    for seat in row.seats:
        yield (seat.name, seat.bot_name, seat.bot_level, seat.is_ready, bool(seat.salt))


def _facts_of_viewer(access: GameAccess) -> Iterator[object]:
    """Yield what only this viewer sees, or sees as the player of a seat."""
    held_turn, row = shown_held_turn(access), access.game.row
    yield access.seat
    yield None if held_turn is None else (held_turn.held_at, held_turn.action is None)
    if may_read_talk(access):
        yield [(message.number, message.edited_at, message.removed_at) for message in row.messages]
    if access.seat is not None:
        yield [(vote.id, vote.ended_at, len(vote.ballots)) for vote in row.latest_votes]
