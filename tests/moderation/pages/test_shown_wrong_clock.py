"""A worker with a wrong clock is refused from its first job on, and moderators, operators and monitoring see it."""

from dataclasses import replace
from datetime import timedelta

from tasks import deadlines
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL, MO
from tests.support.factories import DAY
from tests.support.transactions import transaction
from tests.support.visitors import Site
from tests.support.worker_fixtures import composer, recording_transport, worker
from webapp.kernel import urls
from webapp.moderation.moderators import add_moderator

__all__ = ["composer", "recording_transport", "worker"]


def test_worker_whose_clock_is_fast_plays_nothing_and_is_shown(
    worker: WorkerContext, site: Site
) -> None:
    game = site.dealt_game(ALICE, BOB, CAROL)
    with transaction(site.database, site.clock.now) as tx:
        add_moderator(tx, MO.address, reason="helps")
    moderator = site.signed_in(MO)
    fast_worker = replace(
        worker,
        database=site.database,
        now=lambda: site.clock.now + 3 * DAY,
        database_time=lambda _: site.clock.now,
    )
    fast_worker.heartbeats.write_if_due(
        site.database, now=fast_worker.now(), clock_difference=fast_worker.clock_difference
    )
    deadlines.sweep_deadlines(fast_worker)
    site.clock.move(timedelta(seconds=1))
    assert "Play by" in game.visitors[0].page(urls.game(game.slug)).text
    assert "A worker's clock is wrong by 3 days" in moderator.page(urls.statistics()).text
    health = site.signed_out().get(urls.health()).get_json()
    assert (health["workers_with_wrong_clock"], health["schedule_last_seen_seconds"]) == (1, None)
