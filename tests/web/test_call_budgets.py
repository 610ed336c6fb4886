"""How many functions are called for a page, a turn, an email and the clock: budgets for CPU that are the same on any machine.

Everything is done once before it is counted, so that templates are compiled and caches are full. A budget is a tenth more than
was counted, and more where that is less than what the driver does to prepare a statement and to forget another one, which depends
on the tests before; what exceeds one is to be made cheaper, or to be worth it. ``bench/`` has the milliseconds.
"""

from datetime import datetime, timedelta

import pytest

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.email_contexts import COMPOSER
from tests.support.factories import DAY
from tests.support.function_calls import count_calls
from tests.support.outbox_steps import mark_all_sent
from tests.support.page_robot import discard_form, discard_href
from tests.support.transactions import NOON, transaction
from tests.support.visitors import DealtGame, Site
from webapp.clock.sweep import sweep
from webapp.kernel import urls
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails


@pytest.fixture
def game(site: Site) -> DealtGame:
    return site.dealt_game(ALICE, BOB, CAROL)


def test_pages_of_a_turn_stay_within_their_calls(game: DealtGame) -> None:
    alice = game.visitors[0]
    budgets = {
        (page := urls.game(game.slug)): 9_100,
        (choice := discard_href(alice, game.slug)): 9_300,
        choice.replace(page, urls.choice(game.slug)): 3_260,
        urls.page_version(game.slug): 1_460,
    }
    for path, most in budgets.items():
        assert alice.get(path).status_code == 200
        assert count_calls(lambda path=path: alice.get(path)) <= most, path


def test_turn_stays_within_its_calls(game: DealtGame) -> None:
    alice, bob, _ = game.visitors
    alice.send(discard_form(alice, game.slug))
    form = discard_form(bob, game.slug)
    assert count_calls(lambda: bob.send(form)) <= 2_800


def test_email_about_a_turn_stays_within_its_calls(site: Site, game: DealtGame) -> None:
    site.deliver_emails()
    counts = []
    for visitor in game.visitors[:2]:
        visitor.send(discard_form(visitor, game.slug))
        counts.append(count_calls(lambda: _compose_email(site)))
    assert counts[-1] <= 10_300


def test_sweep_stays_within_its_calls(site: Site, game: DealtGame) -> None:
    assert game.slug
    # Nothing is due; then a turn is late, and at last that of the next player.
    counts = [_count_calls_of_sweep(site, NOON + days * DAY) for days in (0, 0, 2, 4)]
    assert counts[1] <= 100
    assert counts[3] <= 1_360


def _count_calls_of_sweep(site: Site, now: datetime) -> int:
    with transaction(site.database, now) as tx:
        return count_calls(lambda: sweep(tx))


def _compose_email(site: Site) -> None:
    now = site.clock.now + timedelta(minutes=1)
    with transaction(site.database, now) as tx:
        claims = delivery.claim(tx, limit=10)
        [email] = prepare_emails(tx, claims, email_wait=timedelta())
        assert email.context is not None
        COMPOSER.compose(email.context, now=now)
        mark_all_sent(tx, claims)
