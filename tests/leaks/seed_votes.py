"""Votes in the running game of an observed site: one that is open, and one that was lost although two had agreed."""

from sqlalchemy import insert, select

from tests.support.factories import DAY
from tests.support.transactions import NOON, transaction
from webapp.kernel.tx import Database
from webapp.lobby.schema import Seat
from webapp.play.schema import Ballot, Game, Vote

REJECTED_VOTE_ID, OPEN_VOTE_ID = 936_700_001, 936_700_002


def store_votes(database: Database, game_id: int) -> None:
    with transaction(database) as tx:
        number = tx.connection.scalars(select(Game.round).where(Game.id == game_id)).one()
        seats = tx.execute(
            select(Seat.number, Seat.account_id)
            .where(Seat.game_id == game_id, Seat.account_id.is_not(None))
            .order_by(Seat.number)
        ).all()
        for vote_id, is_open in ((REJECTED_VOTE_ID, False), (OPEN_VOTE_ID, True)):
            vote = {
                "id": vote_id,
                "game_id": game_id,
                "kind": "pause",
                "seat": 1,
                "round": number,
                "opened_at": NOON,
                "expires_at": NOON + 3 * DAY,
                "ended_at": None if is_open else NOON,
                "outcome": None if is_open else "rejected",
            }
            tx.execute(insert(Vote).values(vote))
            ballots = [
                {
                    "vote_id": vote_id,
                    "account_id": account_id,
                    "is_yes": None if is_open else seat < 2,
                }
                for seat, account_id in seats
            ]
            tx.execute(insert(Ballot), ballots)
