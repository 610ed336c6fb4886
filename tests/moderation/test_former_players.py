"""Someone who had a seat in a game has seen its cards, and so moderates it only after its end."""

import pytest

from tests.support.acts import act_preview, as_moderator, perform_act, site_moderator
from tests.support.factories import Guest, deal_game, play_to_end, table_settings
from tests.support.transactions import transaction
from webapp.kernel.refusals import DenialReason, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database
from webapp.moderation.bulk_acts import preview_act_on_games
from webapp.moderation.game_page import moderated_game
from webapp.moderation.peeks import peekable_game
from webapp.play.changes.acts import ActInput, acts_by_name

OPEN, PAUSE = GameRight.OPEN_SEAT, GameRight.PAUSE


@pytest.fixture
def former_player(database: Database, guests: list[Guest], slug: str) -> Guest:
    """Bob, a site moderator whose seat was opened."""
    perform_act(database, slug, OPEN, seat=1)
    return Guest(as_moderator(guests[1].person), guests[1].cookie)


@pytest.mark.parametrize("act", [PAUSE, GameRight.REWIND, GameRight.SEAT_BOT])
def test_moderator_who_had_a_seat_may_not_act_on_the_game(
    database: Database, former_player: Guest, slug: str, act: GameRight
) -> None:
    with pytest.raises(NotAllowed, match=DenialReason.SAT_AT_TABLE.code):
        act_preview(database, slug, act, by=former_player, seat=1)
    with pytest.raises(NotAllowed, match=DenialReason.SAT_AT_TABLE.code):
        perform_act(database, slug, act, by=former_player, seat=1)


def test_moderator_who_had_a_seat_may_not_peek(
    database: Database, former_player: Guest, slug: str
) -> None:
    with (
        transaction(database) as tx,
        pytest.raises(NotAllowed, match=DenialReason.SAT_AT_TABLE.code),
    ):
        peekable_game(tx, former_player.person, slug)


def test_game_page_says_why_a_former_player_may_not_moderate(
    database: Database, guests: list[Guest], former_player: Guest, slug: str
) -> None:
    with (
        transaction(database) as tx,
        pytest.raises(NotAllowed, match=DenialReason.SAT_AT_TABLE.code),
    ):
        moderated_game(tx, former_player.person, slug)
    perform_act(database, slug, GameRight.SEAT_BOT, seat=1)
    play_to_end(database, slug, [guests[0], guests[2]])
    with transaction(database) as tx:
        assert moderated_game(tx, former_player.person, slug).status.is_over


def test_host_whose_seat_was_opened_has_no_right_any_more(
    database: Database, guests: list[Guest], slug: str
) -> None:
    alice = guests[0]
    perform_act(database, slug, PAUSE, by=alice)
    perform_act(database, slug, GameRight.RESUME, by=alice)
    perform_act(database, slug, OPEN, seat=0)
    with pytest.raises(NotAllowed, match=DenialReason.SAT_AT_TABLE.code):
        perform_act(database, slug, PAUSE, by=alice)


def test_former_player_still_moderates_other_games(
    database: Database, guests: list[Guest], former_player: Guest, slug: str
) -> None:
    mo = site_moderator(database)
    other = deal_game(database, [guests[0], guests[2], mo], table_settings(public=True))
    with transaction(database) as tx:
        lines = preview_act_on_games(
            tx, former_player.person, [slug, other], acts_by_name()[PAUSE], ActInput()
        )
    lines_by_slug = {line.game.slug: line for line in lines}
    assert isinstance(lines_by_slug[slug].refusal, NotAllowed)
    assert lines_by_slug[slug].change is None
    assert lines_by_slug[other].refusal is None
    perform_act(database, other, PAUSE, by=former_player)
