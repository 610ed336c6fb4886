import pytest

from webapp.accounts.person import Person
from webapp.accounts.relations import (
    TableFacts,
    require_game_right,
    require_site_right,
    table_relations,
)
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.rights import GameRight, Relation, SiteRight, TableKind

PUBLIC_TABLE = TableFacts(TableKind.PUBLIC)


def _person(*, is_moderator: bool = False) -> Person:
    return Person(
        id=1,
        name="someone",
        address="someone@example.test",
        language="en",
        zone="UTC",
        picks_gold=True,
        is_moderator=is_moderator,
    )


def test_seated_moderator_may_not_moderate_the_game() -> None:
    moderator = _person(is_moderator=True)
    relation = require_game_right(moderator, GameRight.EXTEND, PUBLIC_TABLE)
    assert relation == Relation.SITE_MODERATOR
    with pytest.raises(NotFound):
        require_game_right(moderator, GameRight.EXTEND, PUBLIC_TABLE._replace(is_player=True))


def test_host_of_a_private_table_acts_as_its_host() -> None:
    facts = TableFacts(TableKind.PRIVATE, is_host=True, is_player=True)
    assert require_game_right(_person(), GameRight.PAUSE, facts) == Relation.HOST
    with pytest.raises(NotFound):
        require_game_right(_person(), GameRight.PAUSE, facts._replace(kind=TableKind.PUBLIC))


def test_stranger_has_no_right_over_a_game() -> None:
    assert table_relations(_person(), PUBLIC_TABLE) == {Relation.STRANGER}
    for right in GameRight:
        with pytest.raises(NotFound):
            require_game_right(_person(), right, PUBLIC_TABLE)


def test_dashboard_does_not_exist_for_others() -> None:
    for person in (None, _person()):
        with pytest.raises(NotFound):
            require_site_right(person, SiteRight.VIEW_DASHBOARD)


@pytest.mark.parametrize("is_host", [False, True])
def test_former_player_may_not_moderate_the_game(*, is_host: bool) -> None:
    person = _person(is_moderator=not is_host)
    facts = TableFacts(TableKind.PRIVATE, is_host=is_host, is_former_player=True)
    with pytest.raises(NotAllowed, match=DenialReason.SAT_AT_TABLE.code):
        require_game_right(person, GameRight.PAUSE, facts)


def test_former_player_without_a_right_gets_no_other_answer_than_strangers() -> None:
    facts = PUBLIC_TABLE._replace(is_former_player=True)
    with pytest.raises(NotFound):
        require_game_right(_person(), GameRight.PAUSE, facts)
