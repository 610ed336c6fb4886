"""The one door to a game: who may come in, and what of it they may touch."""

from collections.abc import Iterable
from datetime import datetime
from functools import cached_property

import msgspec

from engine.evolve import fold, initial_state
from engine.fairness import Secrets
from engine.rulebook import HouseRules
from engine.shuffle import Chance, ProvableChance
from engine.state import State
from engine.wire import STATE_FORMAT, decode_events, decode_state, encode_state
from webapp.game_status import GameStatus
from webapp.services.accounts.person import Person, Viewer, is_storable, person_from
from webapp.services.errors import NotFound
from webapp.services.keys import hash_of
from webapp.services.tx import Tx
from webapp.store.play import games, turn_log
from webapp.store.play.games import AccessMode
from webapp.store.play.rows import GameRow
from webapp.store.play.turns import TurnRow


class Game:
    """A game as stored, opaque to pages: hand it back to the services. Blank in tracebacks, for it holds every secret."""

    def __init__(self, row: GameRow) -> None:
        self.row = row

    def __repr__(self) -> str:
        return f"<Game {self.row.slug}>"

    @property
    def slug(self) -> str:
        return self.row.slug

    @property
    def status(self) -> GameStatus:
        return self.row.status

    @property
    def seq(self) -> int:
        return self.row.seq

    @cached_property
    def state(self) -> State:
        """The position after turn ``seq``, from the snapshot; only of games that were dealt."""
        assert self.row.state is not None
        return decode_state(self.row.state)

    @cached_property
    def house(self) -> HouseRules:
        return msgspec.convert(self.row.house, HouseRules)

    def chance(self) -> Chance:
        """The provable chance of this game's deals; only where the game was opened ``to`` play or change."""
        assert self.row.secret is not None
        assert self.row.record is not None
        secret = self.row.secret
        secrets = Secrets(
            gold=secret.gold,
            round_1=secret.round_1,
            round_2=secret.round_2,
            round_3=secret.round_3,
        )
        return ProvableChance(secrets, self.row.record)

    def seat_of(self, person: Person | None) -> int | None:
        """The number of the seat where this person sits."""
        if person is None:
            return None
        mine = (seat.number for seat in self.row.seats if seat.account_id == person.id)
        return next(mine, None)


def game_for(
    tx: Tx, slug: str, viewer: Viewer, *, now: datetime, to: AccessMode = "look"
) -> tuple[Game, int | None, Person | None]:
    """The game, the asker's seat in it, and the asker.

    ``to`` "play" reads all that a turn needs and takes no lock, for the turn's write is guarded by ``seq``; "change" locks
    the game until the transaction ends. Raises NotFound where there is no such game, or none for this asker.
    """
    row, person = _found(tx, slug, viewer, now=now, to=to)
    seat = Game(row).seat_of(person)
    if not _may_look(row, seat, person):
        # Nothing more has been read for a game that is there than for one that is not.
        raise NotFound
    return game_from(tx, row), seat, person


def find_game(
    tx: Tx, slug: str, viewer: Viewer, *, now: datetime, to: AccessMode
) -> tuple[Game, Person | None]:
    """The game whoever asks: only for those who proved otherwise that they may see it. Raises NotFound."""
    row, person = _found(tx, slug, viewer, now=now, to=to)
    return game_from(tx, row), person


def _found(
    tx: Tx, slug: str, viewer: Viewer, *, now: datetime, to: AccessMode
) -> tuple[GameRow, Person | None]:
    if not is_storable(slug):
        raise NotFound
    found = games.find(
        tx.connection,
        slug,
        to=to,
        token_hash=hash_of(viewer) if isinstance(viewer, str) else None,
        account_id=viewer.id if isinstance(viewer, Person) else None,
        now=now,
    )
    if found is None:
        raise NotFound
    row, me = found
    return row, None if me is None else person_from(me)


def game_from(tx: Tx, row: GameRow) -> Game:
    """The game behind a row. A snapshot that this release cannot read is made anew from the log, which is the truth."""
    if row.state is None or row.state_format == STATE_FORMAT:
        return Game(row)
    state = encode_state(state_from_log(row, turn_log.all_turns(tx.connection, row.id)))
    return Game(msgspec.structs.replace(row, state=state, state_format=STATE_FORMAT))


def state_from_log(row: GameRow, turns: Iterable[TurnRow]) -> State:
    """The position after these turns, the first deal being the first of them."""
    start = initial_state(row.rulebook, msgspec.convert(row.house, HouseRules), row.seat_count)
    return fold(start, [decode_events(turn.events) for turn in turns])


def may_look(game: Game, person: Person | None) -> bool:
    """Whether this person would be let in without a seat."""
    return _may_look(game.row, None, person)


def _may_look(row: GameRow, seat: int | None, person: Person | None) -> bool:
    hosts = person is not None and person.id == row.host_id
    return row.public or seat is not None or hosts
