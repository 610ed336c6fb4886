from sqlalchemy import update

from tests.factories import NOON, Guest, deal, look, play
from webapp.services.mending import Mended, mend_snapshots
from webapp.services.tx import Database, transaction
from webapp.store.models import Game


def _mend(database: Database, *, after: int = 0, limit: int = 100) -> Mended:
    with transaction(database) as tx:
        return mend_snapshots(tx, after=after, limit=limit)


def test_snapshots_that_are_what_the_log_says_are_left_alone(
    database: Database, guests: list[Guest], slug: str
) -> None:
    play(database, slug, guests[0])
    before = look(database, slug, guests[0]).row.state
    assert _mend(database) == Mended(checked=1, mended=(), last=None)
    assert look(database, slug, guests[0]).row.state == before


def test_a_snapshot_that_went_wrong_is_made_anew_from_the_log(
    database: Database, guests: list[Guest], slug: str
) -> None:
    other = deal(database, guests)
    play(database, slug, guests[0])
    truth = look(database, slug, guests[0]).state
    stale = look(database, other, guests[0]).row.state
    for wrong in (stale, b"{broken", b"[]"):
        with transaction(database) as tx:
            tx.connection.execute(update(Game).where(Game.slug == slug).values(state=wrong))
        assert _mend(database).mended == (slug,)
        assert look(database, slug, guests[0]).state == truth
    play(database, slug, guests[1], now=NOON)


def test_mending_goes_on_where_it_stopped(database: Database, guests: list[Guest]) -> None:
    for _ in range(3):
        deal(database, guests)
    first = _mend(database, limit=2)
    assert first.checked == 2
    assert first.last is not None
    assert _mend(database, after=first.last, limit=2) == Mended(checked=1, mended=(), last=None)
