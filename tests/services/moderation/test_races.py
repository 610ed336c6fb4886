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
from tests.support.cast import ALICE, BOB, DAVE, Character
from tests.support.factories import (
    DAY,
    NOON,
    Guest,
    deal_game,
    pick_first,
    play_turn,
    sign_in_guest,
    sign_in_guests,
)
from webapp.rights import GameRight
from webapp.services.errors import Refused
from webapp.services.moderation.acts import ActRequest
from webapp.services.moderation.bulk_acts import Target, perform_many
from webapp.services.moderation.peeks import PeekRequest, record_peek
from webapp.services.operations import maintenance
from webapp.services.operations.consistency import inspect_database
from webapp.services.play.deadlines import sweep
from webapp.services.play.public_change import ChangeInput
from webapp.services.privacy.deletion import delete_account
from webapp.services.tx import Database, transaction
from webapp.store.schema.moderation import LedgerEntry
from webapp.store.schema.play import Game, Turn

LATE = NOON + DAY + HOUR
"""When the deadline of the first turn has passed."""

_NUMBERS = count(1)


class Scene(NamedTuple):
    database: Database
    mo: Guest
    guests: list[Guest]
    slug: str

    def act(self, act: GameRight, **change_input: object) -> None:
        perform_act(self.database, self.slug, act, by=self.mo, now=LATE, **change_input)


def _seat_person(scene: Scene) -> None:
    """Seat Dave as the operator, the only one who may without an offer."""
    dave = {"name": DAVE.name, "address": DAVE.address}
    perform_act(scene.database, scene.slug, GameRight.SEAT_PERSON, now=LATE, seat=1, **dave)


def _turn(scene: Scene) -> None:
    """Play for the seat on turn; it chooses a card even if the game has moved on, as a player with an old page does."""
    play_turn(
        scene.database,
        scene.slug,
        scene.guests[1],
        choose=lambda view: Discard(view.hand[0]),
        now=LATE,
    )


def _sweep(scene: Scene) -> None:
    with transaction(scene.database) as tx:
        sweep(tx, now=LATE, pick=pick_first)


def _peek(scene: Scene) -> None:
    request = PeekRequest(slug=scene.slug, seq=1, reason="a dispute", form_id="peek")
    with transaction(scene.database) as tx:
        record_peek(tx, scene.mo.person, request, now=LATE)


def _delete_player(scene: Scene) -> None:
    carol = scene.guests[2].person
    with transaction(scene.database) as tx:
        delete_account(tx, carol, typed_address=carol.address, now=LATE)


def _shift_clocks(scene: Scene) -> None:
    with transaction(scene.database) as tx:
        maintenance.begin(tx, now=NOON + HOUR)
        maintenance.end(tx, now=NOON + 2 * HOUR)
        maintenance.shift_next_games(tx, now=LATE)


CHANGES: dict[str, Callable[[Scene], None]] = {
    "extend": lambda scene: scene.act(GameRight.EXTEND, extra=DAY),
    "pause": lambda scene: scene.act(GameRight.PAUSE),
    "play-neutral": lambda scene: scene.act(GameRight.PLAY_NEUTRAL),
    "open-seat": lambda scene: scene.act(GameRight.OPEN_SEAT, seat=0),
    "seat-bot": lambda scene: scene.act(GameRight.SEAT_BOT, seat=0),
    "seat-person": _seat_person,
    "rewind": lambda scene: scene.act(GameRight.REWIND, turn=0),
    "cancel": lambda scene: scene.act(GameRight.CANCEL_GAME),
    "turn": _turn,
    "sweep": _sweep,
    "peek": _peek,
    "delete": _delete_player,
    "shift": _shift_clocks,
}
NOT_IN_THE_LEDGER = {"turn", "sweep", "delete", "shift"}


@pytest.fixture
def people(database: Database) -> list[Guest]:
    """A moderator, two players and a possible substitute."""
    return [site_moderator(database), *sign_in_guests(database, ALICE, BOB, DAVE)]


def _at_once(changes: list[Callable[[], object]]) -> list[str]:
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
    return sign_in_guest(database, Character("Carol", f"carol{next(_NUMBERS)}@example.test"))


def _scene(database: Database, people: list[Guest]) -> Scene:
    """Return a game after its first turn."""
    guests = [*people[1:3], _newcomer(database)]
    slug = deal_game(database, guests)
    play_turn(database, slug, guests[0])
    return Scene(database, people[0], guests, slug)


def _flaws(scene: Scene, names: tuple[str, str], outcomes: list[str]) -> list[str]:
    """Return what is wrong after both changes: with the ledger, or with the game and its log."""
    done = [name for name, outcome in zip(names, outcomes, strict=True) if outcome == "done"]
    recorded = [name for name in done if name not in NOT_IN_THE_LEDGER]
    with transaction(scene.database) as tx:
        game = tx.connection.execute(select(Game).where(Game.slug == scene.slug)).one()
        is_of_game = LedgerEntry.game_id == game.id
        entries = tx.connection.scalar(select(func.count()).where(is_of_game))
        log_size = tx.connection.scalar(select(func.count()).where(Turn.game_id == game.id))
    # A peek that is sent twice is one.
    expected = len(recorded) - (names == ("peek", "peek"))
    flaws = [] if entries == expected else [f"{entries} entries of the ledger"]
    return flaws + ([] if log_size == game.seq + 1 else [f"{log_size} turns up to {game.seq}"])


@pytest.mark.parametrize("part", range(3))
def test_two_changes_at_once_are_each_whole_or_refused(
    database: Database, database_url: str, people: list[Guest], part: int
) -> None:
    pairs = list(combinations_with_replacement(CHANGES, 2))[part::3]
    flaws = []
    for names in pairs:
        scene = _scene(database, people)
        outcomes = _at_once([partial(CHANGES[name], scene) for name in names])
        found = _flaws(scene, names, outcomes)
        flaws += [f"{' and '.join(names)}: {flaw} ({'; '.join(outcomes)})" for flaw in found]
        if outcomes.count("done") == 0:
            flaws.append(f"{' and '.join(names)}: neither was done ({'; '.join(outcomes)})")
    if flaws:
        pytest.fail("\n".join(flaws), pytrace=False)
    assert inspect_database(database_url).inconsistencies == ()


def _act_on_many(database: Database, request: ActRequest, targets: list[Target]) -> None:
    with transaction(database) as tx:
        perform_many(tx, request, targets, now=LATE, pick=pick_first)


def test_acts_on_many_games_and_deletion_of_a_player_do_not_deadlock(
    database: Database, people: list[Guest]
) -> None:
    for number in range(6):
        guests = [*people[1:3], _newcomer(database)]
        slugs = [deal_game(database, guests) for _ in range(4)]
        scene = Scene(database, people[0], guests, slugs[0])
        request = ActRequest(
            actor=people[0].person,
            slug="",
            act=GameRight.PAUSE,
            change_input=ChangeInput(),
            reason="the server was down",
            form_id=f"bulk {number}",
        )
        targets = [Target(slug, 0, 0) for slug in slugs]

        outcomes = _at_once(
            [
                partial(_act_on_many, database, request, targets),
                partial(_delete_player, scene),
                partial(_shift_clocks, scene),
            ]
        )
        assert outcomes == ["done"] * 3
    assert ledger_acts(database) == ["pause"] * 4 * 6
