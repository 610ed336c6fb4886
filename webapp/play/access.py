"""Access to games: every page and use case loads its game here, and gets it only for viewers who may see it."""

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import msgspec

from engine.commitments import Chance, ProvableChance
from engine.evolve import fold, initial_state
from engine.record import TurnChain
from engine.rulebook import HouseRules
from engine.state import State
from engine.view import View, view_for
from engine.wire import STATE_FORMAT, decode_events, decode_state, encode_state
from webapp.accounts.person import Person, Viewer, admitted_person
from webapp.kernel.database import is_storable
from webapp.kernel.game_status import GameStatus
from webapp.kernel.keyring import hash_of
from webapp.kernel.refusals import NotFound
from webapp.kernel.tx import Tx
from webapp.play.lost_seats import returning_seat
from webapp.play.plans import PlanEnd, SeatPlan, decode_plans, plan_of
from webapp.play.queries import games, turn_log
from webapp.play.queries.games import AccessMode
from webapp.play.queries.rows import GameRow
from webapp.play.queries.turns import TurnRow


class SeatLost(NotFound):
    """The viewer has lost their seat by missing turns, and may see no more of the game than that they can take it back."""


class LoadedGame:
    """A game as stored. Opaque to pages, which only pass it on to use cases; its repr hides every secret of the game."""

    def __init__(self, row: GameRow) -> None:
        self.row = row

    def __repr__(self) -> str:
        return f"<LoadedGame {self.row.slug}>"

    @property
    def slug(self) -> str:
        return self.row.slug

    @property
    def status(self) -> GameStatus:
        return self.row.status

    @property
    def seq(self) -> int:
        return self.row.seq

    @property
    def is_dealt(self) -> bool:
        """Whether cards were dealt; a cancelled game may have been dealt or not."""
        return self.row.seq >= 0

    @property
    def is_revealed(self) -> bool:
        """Whether nothing is secret any more: the game was dealt and has ended, or was cancelled after the deal."""
        return self.is_dealt and self.row.status.is_over

    @cached_property
    def state(self) -> State:
        """The position after turn ``seq``, from the snapshot; only of games that were dealt."""
        assert self.row.state is not None
        return decode_state(self.row.state)

    def view(self, seat: int | None) -> View:
        """Return what this seat, or an onlooker, may know of the position."""
        return view_for(self.state, seat, reveal_all=self.is_revealed)

    @cached_property
    def plans(self) -> tuple[SeatPlan, ...]:
        """What the people in this game have planned for their next turns."""
        return decode_plans(self.row.plans)

    def plan_end_of(self, seat: int) -> PlanEnd | None:
        """Return why the plan for this seat's turn was not followed, if its player had one."""
        plan = plan_of(self.plans, seat, self.row.seats)
        return None if plan is None else plan.end

    @cached_property
    def house(self) -> HouseRules:
        return msgspec.convert(self.row.house, HouseRules)

    def chance(self) -> Chance:
        """Return the provable chance of this game's deals; only for games loaded in mode "play" or "change"."""
        assert self.row.secret is not None
        assert self.row.freeze_record is not None
        return ProvableChance(self.row.secret.secrets(), self.row.freeze_record)

    def turn_chain(self) -> TurnChain:
        """Return the chain of this game's turns; only for games loaded in mode "play" or "change"."""
        assert self.row.secret is not None
        assert self.row.freeze_record is not None
        return TurnChain(self.row.secret.secrets(), self.row.freeze_record)

    def seat_of(self, person: Person | None) -> int | None:
        """Return the number of this person's seat, or None if they have none."""
        seat = self.row.seat_of(_id_of(person))
        return None if seat is None else seat.number

    def is_hosted_by(self, person: Person | None) -> bool:
        return self.row.is_hosted_by(_id_of(person))


class GameAccess(NamedTuple):
    """A game, the viewer's seat in it, and the viewer; a viewer may lack a seat, and an onlooker may be signed out."""

    game: LoadedGame
    seat: int | None
    person: Person | None


def game_for(tx: Tx, slug: str, viewer: Viewer, *, mode: AccessMode = "read") -> GameAccess:
    """Return the game for a viewer who may see it.

    Mode "play" reads all that a turn needs and takes no lock, because the turn's write is guarded by ``seq``. Mode "change"
    locks the game until the transaction ends. Raises NotFound if there is no such game, or none that this viewer may see.
    """
    row, person = _find_row(tx, slug, viewer, mode=mode)
    if not may_view(LoadedGame(row), person):
        # Up to here a game that exists costs the same reads as one that does not.
        raise NotFound if returning_seat(row, _id_of(person)) is None else SeatLost
    return _game_access(tx, row, person)


def find_game(tx: Tx, slug: str, viewer: Viewer, *, mode: AccessMode) -> GameAccess:
    """Return the game to any viewer, for callers that checked an invitation instead. Raises NotFound."""
    row, person = _find_row(tx, slug, viewer, mode=mode)
    return _game_access(tx, row, person)


def load_game(tx: Tx, row: GameRow) -> LoadedGame:
    """Return the game of a row, its snapshot rebuilt from the log if this release cannot read it."""
    if row.state is None or row.state_format == STATE_FORMAT:
        return LoadedGame(row)
    state = encode_state(state_from_log(row, turn_log.all_turns(tx, row.id)))
    return LoadedGame(msgspec.structs.replace(row, state=state, state_format=STATE_FORMAT))


def state_from_log(row: GameRow, turns: Iterable[TurnRow]) -> State:
    """Return the position after these turns, the first of which is the first deal."""
    start = initial_state(row.rulebook, msgspec.convert(row.house, HouseRules), row.seat_count)
    return fold(start, [decode_events(turn.events) for turn in turns])


def may_view_unseated(game: LoadedGame, person: Person | None) -> bool:
    """Return whether this person may see the game without a seat in it."""
    return game.row.public or game.is_hosted_by(person) or game.row.club_of_viewer is not None


def may_view(game: LoadedGame, person: Person | None) -> bool:
    """Return whether this person may see the game."""
    if may_view_unseated(game, person) or game.seat_of(person) is not None:
        return True
    # A former player may have learned more elsewhere by now, so the game is closed to them until it is over.
    return game.row.has_viewer_sat and game.is_revealed


def _game_access(tx: Tx, row: GameRow, person: Person | None) -> GameAccess:
    game = load_game(tx, row)
    return GameAccess(game, game.seat_of(person), person)


def _find_row(
    tx: Tx, slug: str, viewer: Viewer, *, mode: AccessMode
) -> tuple[GameRow, Person | None]:
    if not is_storable(slug):
        raise NotFound
    found_game = games.find(
        tx,
        slug,
        mode=mode,
        token_hash=hash_of(viewer) if isinstance(viewer, str) else None,
        account_id=_id_of(viewer) if isinstance(viewer, Person) else None,
    )
    if found_game is None:
        raise NotFound
    row, person = found_game
    return row, admitted_person(person, now=tx.now)


def _id_of(person: Person | None) -> int | None:
    return None if person is None else person.id
