"""People who have finished games before, so that they may be in many at a time."""

from datetime import UTC, datetime, timedelta
from secrets import token_hex

from sqlalchemy import exists, insert, select

from engine.commitments import SECRET_SIZE, Secrets, commitments
from tests.support.transactions import transaction
from webapp.accounts.person import Person
from webapp.kernel.bot_levels import USUAL_LEVEL
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Database
from webapp.lobby.queries import tables
from webapp.lobby.queries.tables import NewTable, count_games
from webapp.lobby.schema import Seat
from webapp.lobby.seats import MAX_GAMES_OF_NEWCOMER
from webapp.play.schema import GameResult
from webapp.site.current_settings import limit_of
from webapp.site.queries import settings

_ENDED_AT = datetime(2026, 1, 1, tzinfo=UTC)


def finish_games(
    database: Database, person: Person, *, count: int, is_alone_with_bots: bool = False
) -> None:
    """Store so many results of this person. Their games are cancelled tables, so that the audit expects no log of turns."""
    with transaction(database) as tx:
        for _ in range(count):
            game_id = tables.add_table(tx, _new_table(person))
            assert game_id is not None
            tables.set_status(tx, game_id, GameStatus.CANCELLED, ended_at=_ENDED_AT)
            if is_alone_with_bots:
                bots = [(1, "Agate"), (2, "Basalt")]
                tables.seat_bots(tx, game_id, bots, level=USUAL_LEVEL)
            values = {
                "game_id": game_id,
                "seat": 0,
                "gold": 0,
                "is_winner": False,
                "digger_rounds": 3,
                "saboteur_rounds": 0,
            }
            tx.execute(insert(GameResult).values(values | {"account_id": person.id}))


def make_room_for_game(database: Database, person: Person) -> None:
    """Store what lets this person be in another game, if they could not: finished games, and a higher limit of the site."""
    with transaction(database) as tx:
        is_seated = select(exists().where(Seat.account_id == person.id))
        if not tx.execute(is_seated).scalar_one():
            return
        counts = count_games(tx, person.id)
        if counts.current >= limit_of(tx, "most_games"):
            settings.store_values(tx, {"most_games": 2 * counts.current})
    finish_games(
        database, person, count=counts.current + 1 - MAX_GAMES_OF_NEWCOMER - counts.finished
    )


def _new_table(host: Person) -> NewTable:
    slug, secret = token_hex(), bytes(SECRET_SIZE)
    same_secrets = Secrets(gold=secret, round_1=secret, round_2=secret, round_3=secret)
    return NewTable(
        slug=slug,
        host_id=host.id,
        host_name=host.name,
        rulebook="en-2004",
        house={},
        seats=3,
        starter=None,
        allowance=timedelta(days=1),
        pace={},
        late_rules={},
        public=False,
        opened_at=_ENDED_AT,
        secrets=(secret, secret, secret, secret),
        commitments=" ".join(commitments(slug, same_secrets)),
        thread_id=f"<{slug}@lodepost.test>",
    )
