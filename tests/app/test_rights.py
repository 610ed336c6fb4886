import pytest

from webapp.kernel.rights import (
    ClubRight,
    GameRight,
    Relation,
    SiteRight,
    TableKind,
    has_club_right,
    has_game_right,
    has_site_right,
)

ALL_MODERATOR_RELATIONS = frozenset(
    {Relation.CLUB_FOUNDER, Relation.CLUB_MODERATOR, Relation.SITE_MODERATOR, Relation.STRANGER}
)


@pytest.mark.parametrize("right", GameRight)
def test_host_of_a_public_table_has_no_rights_after_the_deal(right: GameRight) -> None:
    assert not has_game_right(right, TableKind.PUBLIC, frozenset({Relation.HOST}))


@pytest.mark.parametrize("kind", TableKind)
@pytest.mark.parametrize("right", sorted(set(GameRight) - {GameRight.NUDGE, GameRight.SEAT_PERSON}))
def test_moderator_who_plays_has_only_the_rights_of_a_player(
    right: GameRight, kind: TableKind
) -> None:
    assert not has_game_right(right, kind, ALL_MODERATOR_RELATIONS | {Relation.PLAYER})
    assert has_game_right(right, kind, ALL_MODERATOR_RELATIONS)


def test_host_of_a_private_table_may_pause_but_not_rewind_play_or_peek() -> None:
    host = frozenset({Relation.HOST, Relation.PLAYER})
    assert has_game_right(GameRight.PAUSE, TableKind.PRIVATE, host)
    for right in (GameRight.REWIND, GameRight.PLAY_NEUTRAL, GameRight.PEEK):
        assert not has_game_right(right, TableKind.PRIVATE, host)


def test_club_moderators_have_no_rights_outside_their_club() -> None:
    moderator = frozenset({Relation.CLUB_MODERATOR})
    assert has_game_right(GameRight.EXTEND, TableKind.CLUB, moderator)
    assert not has_game_right(GameRight.EXTEND, TableKind.PUBLIC, moderator)
    assert not has_game_right(GameRight.EXTEND, TableKind.PRIVATE, moderator)


def test_only_the_founder_appoints_moderators() -> None:
    assert has_club_right(ClubRight.APPOINT_CLUB_MODERATOR, frozenset({Relation.CLUB_FOUNDER}))
    for relation in set(Relation) - {Relation.CLUB_FOUNDER}:
        assert not has_club_right(ClubRight.APPOINT_CLUB_MODERATOR, frozenset({relation}))


@pytest.mark.parametrize("right", SiteRight)
def test_site_rights_belong_to_site_moderators_alone(right: SiteRight) -> None:
    relations_with_right = {
        relation for relation in Relation if has_site_right(right, frozenset({relation}))
    }
    assert relations_with_right == {Relation.SITE_MODERATOR}


@pytest.mark.parametrize("kind", TableKind)
@pytest.mark.parametrize("right", GameRight)
def test_former_player_has_no_right_over_a_game_in_progress(
    right: GameRight, kind: TableKind
) -> None:
    former_player_relations = ALL_MODERATOR_RELATIONS | {Relation.HOST, Relation.FORMER_PLAYER}
    assert not has_game_right(right, kind, former_player_relations)


@pytest.mark.parametrize("kind", TableKind)
def test_only_the_operator_may_seat_a_person_without_an_offer(kind: TableKind) -> None:
    assert not has_game_right(GameRight.SEAT_PERSON, kind, frozenset(Relation))
    assert has_game_right(GameRight.OFFER_SEAT, kind, ALL_MODERATOR_RELATIONS)
