"""Acts that pages offer: none that would be refused to the person who looks, and none is missing that helps."""

from collections.abc import Callable
from itertools import product

import pytest

from tests.support.acts import act_preview, perform_act, site_moderator
from tests.support.cast import ALICE, BOB, CAROL, DAVE
from tests.support.factories import DAY, Guest, play_turn, sign_in_guest
from tests.support.moderation import execute, pause, set_turn_email_status
from tests.support.page_robot import discard_form
from tests.support.seat_offers import new_link, offer_seat, open_and_offer
from tests.support.transactions import NOON, transaction
from tests.support.visitors import DealtGame, Site
from webapp.kernel import urls
from webapp.kernel.refusals import FieldErrors, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.moderation.acts.offer_seat import OFFER_LIFETIME


class Table:
    """A private game of Alice, Bob and Carol, on which a site moderator looks, and Dave, who is its host without a seat if Alice is not."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.game: DealtGame = site.dealt_game(ALICE, BOB, CAROL)
        self.slug = self.game.slug
        self.alice, self.mo = self.game.guests[0], site_moderator(site.database)
        self.dave = sign_in_guest(site.database, DAVE)

    def perform(self, act: GameRight, *, by: Guest | None = None, seat: int = 1) -> None:
        perform_act(self.site.database, self.slug, act, by=by, seat=seat)

    def offered(self, viewer: Guest, path: str = "") -> set[GameRight]:
        """Return the acts that a page offers, without those that undo another; each of them can be done."""
        page = self.site.signed_out().with_session(viewer.cookie).page(path or urls.game(self.slug))
        names = {
            link.href.partition("?")[0].rpartition("/")[2]
            for link in page.links
            if "/acts/" in link.href and "undoes=" not in link.href
        }
        acts = {GameRight(name) for name in names}
        assert {act for act in acts if not self._can_be_done(act, viewer)} == set()
        return acts

    def offered_to_host_without_seat(self) -> set[GameRight]:
        execute(self.site.database, "UPDATE game SET host_id = :host", host=self.dave.person.id)
        offered_acts = self.offered(self.dave)
        execute(self.site.database, "UPDATE game SET host_id = :host", host=self.alice.person.id)
        return offered_acts

    def offered_to_moderator_at_public_table(self) -> set[GameRight]:
        execute(self.site.database, "UPDATE game SET public = true")
        offered_acts = self.offered(self.mo)
        execute(self.site.database, "UPDATE game SET public = false")
        return offered_acts

    def _can_be_done(self, act: GameRight, viewer: Guest) -> bool:
        """Return whether a preview of the act is accepted for a seat, an earlier turn or an email."""
        with transaction(self.site.database) as tx:
            email_ids = tx.connection.exec_driver_sql("SELECT id FROM notification").scalars().all()
        for seat, email_id in product(range(3), email_ids):
            try:
                act_preview(
                    self.site.database,
                    self.slug,
                    act,
                    by=viewer,
                    now=self.site.clock.now,
                    seat=seat,
                    email_id=email_id,
                    extra=DAY,
                    turn=0,
                    name="Zed",
                    link=new_link(),
                )
            except (NotAllowed, FieldErrors):
                continue
            return True
        return False


@pytest.fixture
def table(site: Site) -> Table:
    return Table(site)


_STATES: dict[str, Callable[[Table], object]] = {
    "begun": repr,
    "played": lambda table: play_turn(table.site.database, table.slug, table.alice),
    "nudged": lambda table: table.perform(GameRight.NUDGE),
    "paused": lambda table: pause(table.site.database, table.slug, at=NOON),
    "paused-by-moderator": lambda table: table.perform(GameRight.PAUSE, by=table.mo),
    "open-seat": lambda table: table.perform(GameRight.OPEN_SEAT),
    "open-seat-on-turn": lambda table: table.perform(GameRight.OPEN_SEAT, seat=0),
    "offered": lambda table: open_and_offer(table.site.database, table.slug, by=table.alice),
    "offered-by-moderator": lambda table: open_and_offer(
        table.site.database, table.slug, by=table.mo
    ),
    "bot": lambda table: table.perform(GameRight.SEAT_BOT, seat=0),
    "waiting-email": lambda table: set_turn_email_status(
        table.site.database, table.slug, "pending", reason="451 later", at=NOON
    ),
}
_EXPECTED: dict[str, set[GameRight]] = {
    "begun": {GameRight.NUDGE, GameRight.EXTEND},
    "played": {GameRight.REWIND},
    "offered": {GameRight.WITHDRAW_OFFER},
    "open-seat": {GameRight.OFFER_SEAT},
    "waiting-email": {GameRight.RESEND_EMAIL},
    "paused": {GameRight.RESUME},
}


@pytest.mark.parametrize("state", _STATES)
def test_no_act_is_offered_that_cannot_be_done(table: Table, state: str) -> None:
    _STATES[state](table)
    offered_acts = table.offered(table.mo, urls.moderated_game(table.slug))
    assert offered_acts
    assert _EXPECTED.get(state, set()) <= offered_acts
    assert (GameRight.NUDGE in offered_acts) == (
        state not in {"nudged", "paused", "paused-by-moderator", "bot", "open-seat-on-turn"}
    )
    assert (GameRight.WITHDRAW_OFFER in offered_acts) == state.startswith("offered")
    assert (GameRight.RESEND_EMAIL in offered_acts) == (state == "waiting-email")
    # Emails are on the moderators' page alone.
    assert table.offered_to_moderator_at_public_table() >= _EXPECTED.get(state, set()) - {
        GameRight.RESEND_EMAIL
    }
    offered_to_host = table.offered(table.alice)
    assert (GameRight.RESUME in offered_to_host) == (state == "paused")
    assert (GameRight.WITHDRAW_OFFER in offered_to_host) == (state == "offered")
    assert table.offered_to_host_without_seat() >= offered_to_host - {GameRight.HAND_OVER_TABLE}


def test_host_extends_the_turns_of_others_alone(table: Table) -> None:
    # Alice is to play.
    assert GameRight.EXTEND not in table.offered(table.alice)
    alice = table.game.visitors[0]
    alice.send(discard_form(alice, table.slug))
    assert GameRight.EXTEND in table.offered(table.alice)


def test_table_is_handed_over_to_another_person_alone(table: Table) -> None:
    assert GameRight.HAND_OVER_TABLE in table.offered(table.alice)
    for seat in (1, 2):
        table.perform(GameRight.SEAT_BOT, seat=seat)
    assert GameRight.HAND_OVER_TABLE not in table.offered(table.alice)
    assert GameRight.HAND_OVER_TABLE not in table.offered_to_moderator_at_public_table()
    assert GameRight.HAND_OVER_TABLE in table.offered_to_host_without_seat()


def test_offer_is_withdrawn_while_it_is_open(table: Table, site: Site) -> None:
    def offer() -> None:
        offer_seat(site.database, table.slug, by=table.alice, now=site.clock.now)

    def is_open() -> bool:
        return GameRight.WITHDRAW_OFFER in table.offered(table.alice)

    table.perform(GameRight.OPEN_SEAT)
    assert not is_open()
    offer()
    assert is_open()
    table.perform(GameRight.WITHDRAW_OFFER, by=table.alice)
    assert not is_open()
    offer()
    site.clock.move(OFFER_LIFETIME)
    assert not is_open()
    offer()
    assert is_open()
    perform_act(site.database, table.slug, GameRight.SEAT_BOT, seat=1, now=site.clock.now)
    assert not is_open()


def test_host_is_not_offered_to_undo_what_a_moderator_has_done(table: Table) -> None:
    def is_undo_offered() -> bool:
        page = table.game.visitors[0].page(urls.game(table.slug))
        return any("undoes=" in link.href for link in page.links)

    table.perform(GameRight.PAUSE, by=table.mo)
    assert not is_undo_offered()
    table.perform(GameRight.RESUME, by=table.mo)
    table.perform(GameRight.PAUSE, by=table.alice)
    assert is_undo_offered()
