"""Which turns count for how reliable a player is."""

from tests.support.acts import perform_act
from tests.support.factories import Guest, deal_game, play_turn, table_settings
from tests.support.transactions import transaction
from webapp.clock.queries.reliability import Reliability
from webapp.clock.reliability import reliability_of
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database


def record_of(database: Database, guest: Guest) -> Reliability:
    with transaction(database) as tx:
        return reliability_of(tx, guest.person.id)


def test_turns_in_a_game_with_bots_alone_do_not_count(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests[:1], table_settings(seats=4))
    play_turn(database, slug, guests[0])
    assert record_of(database, guests[0]) == Reliability()


def test_turns_count_also_after_a_bot_has_replaced_the_only_other_person(
    database: Database, guests: list[Guest]
) -> None:
    slug = deal_game(database, guests[:2], table_settings(seats=3))
    play_turn(database, slug, guests[0])
    perform_act(database, slug, GameRight.SEAT_BOT, seat=1)
    assert record_of(database, guests[0]) == Reliability(on_time_count=1)
