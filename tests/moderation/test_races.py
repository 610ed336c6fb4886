"""Two changes of one game at the same time: one after the other, each whole or refused, and never a deadlock."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations_with_replacement, count
from threading import Barrier
from typing import NamedTuple

import pytest
from sqlalchemy import func, select

from engine.actions import Discard
from engine.errors import IllegalAction
from tests.support.acts import HOUR, ledger_acts, perform_act, site_moderator
from tests.support.calls import sweep_with_calls_sent
from tests.support.cast import ALICE, BOB, DAVE, Character
from tests.support.factories import DAY, Guest, deal_game, play_turn, sign_in_guest, sign_in_guests
from tests.support.transactions import NOON, pick_first, transaction
from webapp.kernel.refusals import Refused
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.moderation.bulk_acts import BulkTarget, perform_act_on_games
from webapp.moderation.peeks import PeekRequest, record_peek
from webapp.moderation.performing import ActRequest
from webapp.moderation.schema import LedgerEntry
from webapp.operations import maintenance
from webapp.operations.consistency import inspect_database
from webapp.play.changes.acts import ActInput, acts_by_name
from webapp.play.schema import Game, Turn
from webapp.privacy.deletion import delete_account

AFTER_DEADLINE = NOON + DAY + HOUR
"""When the deadline of the first turn has passed."""

_NEWCOMER_NUMBERS = count(1)


class RaceContext(NamedTuple):
    database: Database
    mo: Guest
    guests: list[Guest]
    slug: str

    def act(self, act: GameRight, **input_fields: object) -> None:
        perform_act(self.database, self.slug, act, by=self.mo, now=AFTER_DEADLINE, **input_fields)


def _seat_person(race_context: RaceContext) -> None:
    """Seat Dave as the operator, the only one who may without an offer."""
    dave = {"name": DAVE.name, "address": DAVE.address}
    perform_act(
        race_context.database,
        race_context.slug,
        GameRight.SEAT_PERSON,
        now=AFTER_DEADLINE,
        seat=1,
        **dave,
    )


def _turn(race_context: RaceContext) -> None:
    """Play for the seat on turn; it chooses a card even if the game has moved on, as a player with an old page does."""
    play_turn(
        race_context.database,
        race_context.slug,
        race_context.guests[1],
        choose=lambda view: Discard(view.hand[0]),
        now=AFTER_DEADLINE,
    )


def _sweep(race_context: RaceContext) -> None:
    with transaction(race_context.database) as tx:
        sweep_with_calls_sent(tx, now=AFTER_DEADLINE, random_below=pick_first)


def _peek(race_context: RaceContext) -> None:
    request = PeekRequest(slug=race_context.slug, seq=1, reason="a dispute", form_id="peek")
    with transaction(race_context.database, AFTER_DEADLINE) as tx:
        record_peek(tx, race_context.mo.person, request)


def _delete_player(race_context: RaceContext) -> None:
    carol = race_context.guests[2].person
    with transaction(race_context.database, AFTER_DEADLINE) as tx:
        delete_account(tx, carol, typed_address=carol.address)


def _shift_clocks(race_context: RaceContext) -> None:
    with transaction(race_context.database) as tx:
        maintenance.begin(tx.at(NOON + HOUR))
        maintenance.end(tx.at(NOON + 2 * HOUR))
        maintenance.shift_next_games(tx.at(AFTER_DEADLINE))


CHANGES: dict[str, Callable[[RaceContext], None]] = {
    "extend": lambda race_context: race_context.act(GameRight.EXTEND, extra=DAY),
    "pause": lambda race_context: race_context.act(GameRight.PAUSE),
    "play-neutral": lambda race_context: race_context.act(GameRight.PLAY_NEUTRAL),
    "open-seat": lambda race_context: race_context.act(GameRight.OPEN_SEAT, seat=0),
    "seat-bot": lambda race_context: race_context.act(GameRight.SEAT_BOT, seat=0),
    "seat-person": _seat_person,
    "rewind": lambda race_context: race_context.act(GameRight.REWIND, turn=0),
    "cancel": lambda race_context: race_context.act(GameRight.CANCEL_GAME),
    "turn": _turn,
    "sweep": _sweep,
    "peek": _peek,
    "delete": _delete_player,
    "shift": _shift_clocks,
}
CHANGES_NOT_IN_THE_LEDGER = {"turn", "sweep", "delete", "shift"}


@pytest.fixture
def people(database: Database) -> list[Guest]:
    """A moderator, two players and a possible substitute."""
    return [site_moderator(database), *sign_in_guests(database, ALICE, BOB, DAVE)]


def _run_at_once(changes: list[Callable[[], object]]) -> list[str]:
    """Make these changes at the same time; return "done" or why it was refused, for each."""
    barrier = Barrier(len(changes))

    def change(one: Callable[[], object]) -> str:
        barrier.wait()
        try:
            one()
        except (Refused, IllegalAction) as refusal:
            return repr(refusal)
        return "done"

    with ThreadPoolExecutor(len(changes)) as pool:
        return list(pool.map(change, changes))


def _newcomer(database: Database) -> Guest:
    """Sign a new Carol in, whose account may be deleted."""
    return sign_in_guest(
        database, Character("Carol", f"carol{next(_NEWCOMER_NUMBERS)}@example.test")
    )


def _create_race_context(database: Database, people: list[Guest]) -> RaceContext:
    """Return a game after its first turn."""
    guests = [*people[1:3], _newcomer(database)]
    slug = deal_game(database, guests)
    play_turn(database, slug, guests[0])
    return RaceContext(database, people[0], guests, slug)


def _flaws(race_context: RaceContext, names: tuple[str, str], outcomes: list[str]) -> list[str]:
    """Return what is wrong after both changes: with the ledger, or with the game and its log."""
    done_names = [name for name, outcome in zip(names, outcomes, strict=True) if outcome == "done"]
    recorded_names = [name for name in done_names if name not in CHANGES_NOT_IN_THE_LEDGER]
    with transaction(race_context.database) as tx:
        game = tx.execute(select(Game).where(Game.slug == race_context.slug)).one()
        is_of_game = LedgerEntry.game_id == game.id
        entries = tx.connection.scalar(select(func.count()).where(is_of_game))
        log_size = tx.connection.scalar(select(func.count()).where(Turn.game_id == game.id))
    # A peek that is sent twice is one.
    expected = len(recorded_names) - (names == ("peek", "peek"))
    flaws = [] if entries == expected else [f"{entries} entries of the ledger"]
    return flaws + ([] if log_size == game.seq + 1 else [f"{log_size} turns up to {game.seq}"])


@pytest.mark.parametrize("part", range(3))
def test_two_changes_at_once_are_each_whole_or_refused(
    database: Database, database_url: str, people: list[Guest], part: int
) -> None:
    pairs = list(combinations_with_replacement(CHANGES, 2))[part::3]
    flaws = []
    for names in pairs:
        race_context = _create_race_context(database, people)
        outcomes = _run_at_once([partial(CHANGES[name], race_context) for name in names])
        found_flaws = _flaws(race_context, names, outcomes)
        flaws += [f"{' and '.join(names)}: {flaw} ({'; '.join(outcomes)})" for flaw in found_flaws]
        if outcomes.count("done") == 0:
            flaws.append(f"{' and '.join(names)}: neither was done ({'; '.join(outcomes)})")
    if flaws:
        pytest.fail("\n".join(flaws), pytrace=False)
    assert inspect_database(database_url).inconsistencies == ()


def _act_on_many(database: Database, request: ActRequest, targets: list[BulkTarget]) -> None:
    with transaction(database, AFTER_DEADLINE) as tx:
        perform_act_on_games(tx, request, targets)


def test_acts_on_many_games_and_deletion_of_a_player_do_not_deadlock(
    database: Database, people: list[Guest]
) -> None:
    for number in range(6):
        guests = [*people[1:3], _newcomer(database)]
        slugs = [deal_game(database, guests) for _ in range(4)]
        race_context = RaceContext(database, people[0], guests, slugs[0])
        request = ActRequest(
            actor=people[0].person,
            slug="",
            act=acts_by_name()[GameRight.PAUSE],
            given=ActInput(),
            reason="the server was down",
            form_id=f"bulk {number}",
        )
        targets = [BulkTarget(slug, 0, 0) for slug in slugs]

        outcomes = _run_at_once(
            [
                partial(_act_on_many, database, request, targets),
                partial(_delete_player, race_context),
                partial(_shift_clocks, race_context),
            ]
        )
        assert outcomes == ["done"] * 3
    assert ledger_acts(database) == ["pause"] * 4 * 6
