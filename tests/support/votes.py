"""Votes of players: proposed, answered and ended as tests need them."""

from datetime import datetime, timedelta

from sqlalchemy import text

from tests.support.factories import Guest, stored_game
from tests.support.transactions import NOON, transaction
from webapp.kernel.game_status import GameStatus
from webapp.kernel.tx import Database
from webapp.play.access import game_for
from webapp.play.views.table_page import TablePage, table_page
from webapp.play.votes import VoteKind, answer_vote, end_next_due_votes, start_vote

HOUR = timedelta(hours=1)
PAUSE, RESUME, CANCEL, SHORTEN = VoteKind


def propose_as(
    database: Database, slug: str, guest: Guest, kind: VoteKind, now: datetime = NOON
) -> None:
    with transaction(database, now) as tx:
        access = game_for(tx, slug, guest.cookie, mode="change")
        start_vote(tx, access, kind)


def newest_vote_id(database: Database) -> int:
    with transaction(database) as tx:
        return int(tx.execute(text("SELECT max(id) FROM vote")).scalar_one())


def answer_as(
    database: Database,
    slug: str,
    guest: Guest,
    *,
    is_yes: bool = True,
    now: datetime = NOON,
    vote_id: int | None = None,
) -> None:
    answered_id = vote_id or newest_vote_id(database)
    with transaction(database, now) as tx:
        access = game_for(tx, slug, guest.cookie, mode="change")
        answer_vote(tx, access, answered_id, is_yes=is_yes)


def let_vote_pass(
    database: Database, slug: str, guests: list[Guest], kind: VoteKind, now: datetime = NOON
) -> None:
    propose_as(database, slug, guests[0], kind, now)
    for guest in guests[1:]:
        answer_as(database, slug, guest, now=now)


def vote_outcomes(database: Database) -> list[str | None]:
    with transaction(database) as tx:
        return list(tx.connection.scalars(text("SELECT outcome FROM vote ORDER BY id")))


def page_of(database: Database, slug: str, guest: Guest, now: datetime = NOON) -> TablePage:
    with transaction(database, now) as tx:
        return table_page(tx, game_for(tx, slug, guest.cookie))


def status_of(database: Database, slug: str, guest: Guest) -> GameStatus:
    return stored_game(database, slug, guest).status


def sweep_votes(database: Database, now: datetime) -> int:
    """End the votes whose time is up, as workers do; return in how many games."""
    count = -1
    game_id: int | None = 0
    while game_id is not None:
        with transaction(database, now) as tx:
            game_id = end_next_due_votes(tx, after_id=game_id)
        count += 1
    return count
