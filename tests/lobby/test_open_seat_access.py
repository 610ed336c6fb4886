"""Who hears of an open seat: everyone at public tables, members at club tables, and people with a link at private ones."""

import pytest
from sqlalchemy import text

from tests.support.cast import DAVE, ERIN
from tests.support.clubs import found_club, join_club
from tests.support.factories import DAY, Guest, deal_game, play_turn, sign_in_guest, stored_game
from tests.support.late_games import make_public, miss_turn, set_late_rules, take_seat
from tests.support.transactions import NOON, read_only, transaction
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.tx import Database
from webapp.lobby.open_seats import OpenSeatPage, open_seat_page
from webapp.moderation.schema import LedgerEntry

LATER = NOON + DAY


@pytest.fixture
def open_slug(database: Database, guests: list[Guest], slug: str) -> str:
    """A private game in which Bob's seat is open for volunteers."""
    _lose_seat_of_bob(database, slug, guests)
    return slug


def _lose_seat_of_bob(database: Database, slug: str, guests: list[Guest]) -> None:
    set_late_rules(database, slug)
    play_turn(database, slug, guests[0])
    miss_turn(database, slug, guests[1])


def _read_page(database: Database, slug: str, guest: Guest | None, link: str = "") -> OpenSeatPage:
    viewer = None if guest is None else guest.cookie
    with read_only(database, LATER) as tx:
        return open_seat_page(tx, slug, viewer, link=link)


def _shared_link(database: Database, slug: str, player: Guest) -> str:
    link = _read_page(database, slug, player).link_to_share
    assert link
    return link


@pytest.mark.parametrize("link", ["", "none-such", "nul\x00", "\ud800"])
def test_stranger_finds_no_open_seat_at_a_private_table(
    database: Database, open_slug: str, link: str
) -> None:
    dave = sign_in_guest(database, DAVE)
    for viewer in (dave, None):
        with pytest.raises(NotFound):
            _read_page(database, open_slug, viewer, link)
    with pytest.raises(NotFound):
        take_seat(database, open_slug, dave, link=link)


def test_stranger_does_not_learn_that_a_private_seat_was_open(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    take_seat(database, open_slug, guests[1])
    with pytest.raises(NotFound):
        take_seat(database, open_slug, sign_in_guest(database, DAVE))


def test_volunteer_with_the_link_of_a_private_table_steps_in(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    dave, link = sign_in_guest(database, DAVE), _shared_link(database, open_slug, guests[2])
    assert _read_page(database, open_slug, dave, link).refusal is None
    take_seat(database, open_slug, dave, link=link)
    assert stored_game(database, open_slug, dave).row.seats[1].account_id == dave.person.id
    with pytest.raises(NotAllowed, match=DenialReason.OFFER_NO_LONGER_OPEN.code):
        take_seat(database, open_slug, sign_in_guest(database, ERIN), link=link)


def test_link_of_another_table_opens_no_seat(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    other_slug = deal_game(database, guests)
    _lose_seat_of_bob(database, other_slug, guests)
    link = _shared_link(database, other_slug, guests[0])
    with pytest.raises(NotFound):
        _read_page(database, open_slug, sign_in_guest(database, DAVE), link)


def test_link_is_shown_only_to_people_at_the_private_table(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    dave, link = sign_in_guest(database, DAVE), _shared_link(database, open_slug, guests[0])
    assert _read_page(database, open_slug, dave, link).link_to_share is None
    assert _read_page(database, open_slug, guests[1]).link_to_share is None
    make_public(database, open_slug)
    assert _read_page(database, open_slug, guests[2]).link_to_share is None


def test_members_alone_find_the_open_seat_of_a_club_table(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    club = found_club(database, guests[0])
    with transaction(database) as tx:
        tx.execute(
            text("UPDATE game SET club_id = (SELECT id FROM club WHERE slug = :club)"),
            {"club": club},
        )
    dave, erin = (sign_in_guest(database, character) for character in (DAVE, ERIN))
    join_club(database, club, dave)
    with pytest.raises(NotFound):
        _read_page(database, open_slug, erin)
    with pytest.raises(NotFound):
        take_seat(database, open_slug, erin)
    assert _read_page(database, open_slug, dave).refusal is None
    take_seat(database, open_slug, dave)


def test_player_returns_however_much_has_happened_since(
    database: Database, guests: list[Guest], open_slug: str
) -> None:
    entries = "SELECT 'announce-to-table', acted_as, game_id, 'x', 'act ' || n, now(), '{}', '{}'"
    with transaction(database) as tx:
        columns = "act, acted_as, game_id, reason, form_id, at, before, after"
        tx.execute(
            text(
                f"INSERT INTO {LedgerEntry.__tablename__} ({columns}) {entries}"
                " FROM ledger, generate_series(1, 60) AS n"
            )
        )
    assert _read_page(database, open_slug, guests[1]).is_own
    take_seat(database, open_slug, guests[1])
