"""Pages outside the table in their states: each world is made once, and lists its pages with those who see them."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final, NamedTuple

from tests.browser.table_states import game_with_talk, played_game
from tests.support.cast import ALICE, BOB, CAROL, DAVE, ERIN, MALLORY
from tests.support.clubs import ask_to_join, club_profile, found_club, join_club
from tests.support.factories import sign_in_guest
from tests.support.lobby_forms import send_lobby_form
from tests.support.moderation import moderator_of, pause
from tests.support.visitors import Site, Visitor, open_table, table_link
from webapp.kernel import urls


class SeenPage(NamedTuple):
    """A page as one visitor sees it; ``button`` is pressed on it first, to see what it answers, or everything folded is opened."""

    visitor: Visitor
    path: str
    button: str = ""
    is_opened: bool = False


def pages_for_strangers(site: Site) -> Iterator[SeenPage]:
    stranger = site.signed_out()
    paths = (
        urls.home(),
        urls.sign_in_code(),
        urls.how_to_play(),
        urls.rules(),
        urls.rulebook("en-2004"),
        urls.about(),
        urls.privacy(),
        urls.rights(),
        urls.clubs(),
        urls.open_seats(),
        "/nowhere",
    )
    yield from (SeenPage(stranger, path) for path in paths)
    yield SeenPage(stranger, urls.sign_in(), "Email me")
    slug = open_table(site.signed_in(ALICE), seats="4", audience="public")
    yield SeenPage(stranger, urls.game(slug))


def pages_of_an_account(site: Site) -> Iterator[SeenPage]:
    alice, newcomer = site.signed_in(ALICE), site.newcomer(ERIN)
    paths = (
        urls.home(),
        urls.profile(),
        urls.account_security(),
        urls.account_data(),
        urls.account_deletion(),
        urls.account_address(),
        urls.blocked_people(),
        urls.muted_people(),
        urls.time_away(),
        urls.bot_game(),
        urls.new_club(),
    )
    yield from (SeenPage(alice, path) for path in paths)
    yield SeenPage(alice, urls.new_game(), is_opened=True)
    yield SeenPage(newcomer, urls.profile())


def pages_before_the_deal(site: Site) -> Iterator[SeenPage]:
    alice, bob = site.signed_in(ALICE), site.signed_in(BOB)
    open_slug = open_table(alice, seats="4")
    invitation = urls.invitation(table_link(alice, open_slug))
    yield SeenPage(alice, urls.game(open_slug))
    yield SeenPage(site.signed_out(), invitation)
    yield SeenPage(bob, invitation)
    ready_slug = open_table(alice, seats="3")
    link = urls.invitation(table_link(alice, ready_slug))
    for guest in (bob, site.signed_in(CAROL)):
        guest.send(guest.page(link).form(link))
    send_lobby_form(bob, ready_slug, "ready")
    yield SeenPage(alice, urls.game(ready_slug))
    yield SeenPage(bob, urls.game(ready_slug))
    yield SeenPage(alice, urls.home())


def pages_of_games(site: Site) -> Iterator[SeenPage]:
    running = game_with_talk(site)
    alice, bob, _ = running.visitors
    yield SeenPage(alice, urls.history(played_game(site).slug))
    yield from (SeenPage(visitor, urls.message(running.slug, 1)) for visitor in (alice, bob))
    yield SeenPage(alice, urls.new_report(running.slug, message=1))
    for url_of in (
        urls.fairness,
        urls.players,
        urls.deadlines,
        urls.new_report,
    ):
        yield SeenPage(alice, url_of(running.slug))
    yield SeenPage(bob, urls.plan(running.slug))
    yield SeenPage(alice, urls.home())
    yield SeenPage(alice, urls.next_game())


def pages_of_a_finished_game(site: Site) -> Iterator[SeenPage]:
    game = played_game(site, turns=200, rounds=1)
    alice = game.visitors[0]
    yield SeenPage(alice, urls.game(game.slug), is_opened=True)
    yield SeenPage(alice, urls.history(game.slug, until=12), is_opened=True)
    alice.send(alice.page(urls.game(game.slug)).form(urls.share(game.slug)))
    shared = [
        link.href for link in alice.page(urls.game(game.slug)).links if "/shared/" in link.href
    ]
    yield SeenPage(site.signed_out(), shared[0])
    paths = (
        urls.history(game.slug),
        urls.round_result(game.slug, 1),
        urls.fairness(game.slug),
        urls.home(),
        urls.archive(),
    )
    yield from (SeenPage(alice, path) for path in paths)


def pages_of_clubs(site: Site) -> Iterator[SeenPage]:
    founder = sign_in_guest(site.database, ALICE, now=site.clock.now)
    member = sign_in_guest(site.database, BOB, now=site.clock.now)
    stranger = sign_in_guest(site.database, MALLORY, now=site.clock.now)
    slug = found_club(site.database, founder, club_profile(is_public=True), now=site.clock.now)
    join_club(site.database, slug, member, now=site.clock.now)
    ask_to_join(
        site.database,
        slug,
        sign_in_guest(site.database, DAVE, now=site.clock.now),
        now=site.clock.now,
    )
    alice = site.signed_out().with_session(founder.cookie)
    for path in (urls.club(slug), urls.club_members(slug), urls.club_settings(slug), urls.clubs()):
        yield SeenPage(alice, path)
    for guest in (member, stranger):
        yield SeenPage(site.signed_out().with_session(guest.cookie), urls.club(slug))


def pages_of_moderators(site: Site) -> Iterator[SeenPage]:
    game, paused = game_with_talk(site), site.dealt_game(ALICE, BOB, CAROL, seed="paused")
    pause(site.database, paused.slug, at=site.clock.now)
    game.visitors[0].post(urls.new_report(game.slug), message="1", complaint="That hurts")
    site.clock.move(timedelta(hours=30))
    moderator = moderator_of(site)
    paths = (
        urls.moderation(),
        urls.moderated_game(game.slug),
        urls.moderated_act(game.slug, "extend"),
        urls.reports(),
        urls.report(1),
        urls.ledger(),
        urls.security_log(),
        urls.statistics(),
        urls.site_settings(),
        urls.site_announcement(),
        urls.peek(game.slug),
    )
    yield from (SeenPage(moderator, path) for path in paths)


WORLDS: Final[dict[str, Callable[[Site], Iterator[SeenPage]]]] = {
    "strangers": pages_for_strangers,
    "account": pages_of_an_account,
    "before the deal": pages_before_the_deal,
    "games": pages_of_games,
    "finished game": pages_of_a_finished_game,
    "clubs": pages_of_clubs,
    "moderators": pages_of_moderators,
}
