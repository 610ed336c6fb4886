import pytest

from webapp.accounts.person import Person
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.rights import GameRight, Relation, SiteRight, TableKind
from webapp.moderation.relations import (
    TableFacts,
    require_game_right,
    require_site_right,
    table_relations,
)

HOST, PLAYER, MODERATOR, STRANGER = 1, 2, 3, 4


def _person(account_id: int, *, is_moderator: bool = False) -> Person:
    return Person(
        id=account_id,
        name="someone",
        address="someone@example.test",
        language="en",
        zone="UTC",
        picks_gold=True,
        is_moderator=is_moderator,
    )


def _table_facts(kind: TableKind = TableKind.PUBLIC, *seated_account_ids: int) -> TableFacts:
    return TableFacts(kind, HOST, frozenset(seated_account_ids or (HOST, PLAYER)))


def test_seated_moderator_may_not_moderate_the_game() -> None:
    moderator = _person(MODERATOR, is_moderator=True)
    relation = require_game_right(moderator, GameRight.EXTEND, _table_facts())
    assert relation == Relation.SITE_MODERATOR
    with pytest.raises(NotFound):
        require_game_right(
            moderator, GameRight.EXTEND, _table_facts(TableKind.PUBLIC, HOST, MODERATOR)
        )


def test_host_of_a_private_table_acts_as_its_host() -> None:
    host = _person(HOST)
    assert (
        require_game_right(host, GameRight.PAUSE, _table_facts(TableKind.PRIVATE)) == Relation.HOST
    )
    with pytest.raises(NotFound):
        require_game_right(host, GameRight.PAUSE, _table_facts(TableKind.PUBLIC))


def test_stranger_has_no_right_over_a_game() -> None:
    assert table_relations(_person(STRANGER), _table_facts()) == {Relation.STRANGER}
    for right in GameRight:
        with pytest.raises(NotFound):
            require_game_right(_person(STRANGER), right, _table_facts())


def test_dashboard_does_not_exist_for_others() -> None:
    for person in (None, _person(HOST)):
        with pytest.raises(NotFound):
            require_site_right(person, SiteRight.VIEW_DASHBOARD)


@pytest.mark.parametrize("is_host", [False, True])
def test_former_player_may_not_moderate_the_game(*, is_host: bool) -> None:
    former_id = HOST if is_host else MODERATOR
    person = _person(former_id, is_moderator=not is_host)
    table_facts = TableFacts(TableKind.PRIVATE, HOST, frozenset({PLAYER}), frozenset({former_id}))
    with pytest.raises(NotAllowed, match=DenialReason.SAT_AT_TABLE.code):
        require_game_right(person, GameRight.PAUSE, table_facts)


def test_former_player_without_a_right_gets_no_other_answer_than_strangers() -> None:
    table_facts = TableFacts(TableKind.PUBLIC, HOST, frozenset({PLAYER}), frozenset({STRANGER}))
    with pytest.raises(NotFound):
        require_game_right(_person(STRANGER), GameRight.PAUSE, table_facts)
