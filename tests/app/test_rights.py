import pytest

from webapp.rights import (
    ClubRight,
    GameRight,
    SiteRight,
    Standing,
    TableKind,
    has_club_right,
    has_game_right,
    has_site_right,
)

ALL_MODERATOR_STANDINGS = frozenset(
    {Standing.CLUB_FOUNDER, Standing.CLUB_MODERATOR, Standing.SITE_MODERATOR, Standing.STRANGER}
)


@pytest.mark.parametrize("right", GameRight)
def test_host_of_a_public_table_has_no_rights_after_the_deal(right: GameRight) -> None:
    assert not has_game_right(right, TableKind.PUBLIC, frozenset({Standing.HOST}))


@pytest.mark.parametrize("kind", TableKind)
@pytest.mark.parametrize("right", sorted(set(GameRight) - {GameRight.NUDGE, GameRight.SEAT_PERSON}))
def test_moderator_who_plays_has_only_the_rights_of_a_player(
    right: GameRight, kind: TableKind
) -> None:
    assert not has_game_right(right, kind, ALL_MODERATOR_STANDINGS | {Standing.PLAYER})
    assert has_game_right(right, kind, ALL_MODERATOR_STANDINGS)


def test_host_of_a_private_table_may_pause_but_not_rewind_play_or_peek() -> None:
    host = frozenset({Standing.HOST, Standing.PLAYER})
    assert has_game_right(GameRight.PAUSE, TableKind.PRIVATE, host)
    for right in (GameRight.REWIND, GameRight.PLAY_NEUTRAL, GameRight.PEEK):
        assert not has_game_right(right, TableKind.PRIVATE, host)


def test_club_moderators_have_no_rights_outside_their_club() -> None:
    moderator = frozenset({Standing.CLUB_MODERATOR})
    assert has_game_right(GameRight.EXTEND, TableKind.CLUB, moderator)
    assert not has_game_right(GameRight.EXTEND, TableKind.PUBLIC, moderator)
    assert not has_game_right(GameRight.EXTEND, TableKind.PRIVATE, moderator)


def test_only_the_founder_appoints_moderators() -> None:
    assert has_club_right(ClubRight.APPOINT_CLUB_MODERATOR, frozenset({Standing.CLUB_FOUNDER}))
    for standing in set(Standing) - {Standing.CLUB_FOUNDER}:
        assert not has_club_right(ClubRight.APPOINT_CLUB_MODERATOR, frozenset({standing}))


@pytest.mark.parametrize("right", SiteRight)
def test_site_rights_belong_to_site_moderators_alone(right: SiteRight) -> None:
    standings_with_right = {
        standing for standing in Standing if has_site_right(right, frozenset({standing}))
    }
    assert standings_with_right == {Standing.SITE_MODERATOR}


@pytest.mark.parametrize("kind", TableKind)
@pytest.mark.parametrize("right", GameRight)
def test_former_player_has_no_right_over_a_game_in_progress(
    right: GameRight, kind: TableKind
) -> None:
    former_player_standings = ALL_MODERATOR_STANDINGS | {Standing.HOST, Standing.FORMER_PLAYER}
    assert not has_game_right(right, kind, former_player_standings)


@pytest.mark.parametrize("kind", TableKind)
def test_only_the_operator_may_seat_a_person_without_an_offer(kind: TableKind) -> None:
    assert not has_game_right(GameRight.SEAT_PERSON, kind, frozenset(Standing))
    assert has_game_right(GameRight.OFFER_SEAT, kind, ALL_MODERATOR_STANDINGS)
