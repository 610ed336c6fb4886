"""What a person is in relation to a game or to the site, and the check that they have a right."""

from typing import NamedTuple

from webapp.accounts.person import PasskeyRequired, Person
from webapp.kernel.refusals import DenialReason, NotAllowed, NotFound
from webapp.kernel.rights import (
    GameRight,
    Relation,
    SiteRight,
    TableKind,
    effective_relations,
    has_site_right,
    relations_with,
)


class TableFacts(NamedTuple):
    """What decides who may moderate a table."""

    kind: TableKind
    host_id: int
    seated_account_ids: frozenset[int]
    """The accounts of the people who sit there."""
    former_player_ids: frozenset[int] = frozenset()
    """The accounts of the people who sat there, as long as the game is in progress."""


def site_relations(person: Person | None) -> frozenset[Relation]:
    """Return what a person is on the whole site."""
    if person is None:
        return frozenset({Relation.VISITOR})
    moderator_relations = {Relation.SITE_MODERATOR} if person.is_moderator else set()
    return frozenset({Relation.STRANGER} | moderator_relations)


def table_relations(
    person: Person | None, facts: TableFacts, *, club_relations: frozenset[Relation] = frozenset()
) -> frozenset[Relation]:
    """Return what a person is at a table; ``club_relations`` is their rank in the table's club."""
    relations = site_relations(person) | club_relations
    if person is None:
        return relations
    if person.id in facts.seated_account_ids:
        relations |= {Relation.PLAYER}
    if person.id in facts.former_player_ids:
        relations |= {Relation.FORMER_PLAYER}
    if person.id == facts.host_id:
        relations |= {Relation.HOST}
    return relations


def require_site_right(person: Person | None, right: SiteRight) -> Person:
    """Return the person if they have the right. Raises NotFound: to others there is nothing here.

    Raises PasskeyRequired for a site moderator who has not used a passkey in this session, if the site demands it.
    """
    if person is not None and person.lacks_passkey:
        raise PasskeyRequired
    if person is None or not has_site_right(right, site_relations(person)):
        raise NotFound
    return person


def require_game_right(
    person: Person,
    right: GameRight,
    facts: TableFacts,
    *,
    club_relations: frozenset[Relation] = frozenset(),
) -> Relation:
    """Return the strongest relation that gives the person this right at the table.

    Raises NotFound, and NotAllowed for someone who would have the right if they had not sat there. Raises
    PasskeyRequired as ``require_site_right`` does.
    """
    relations, holders = (
        table_relations(person, facts, club_relations=club_relations),
        relations_with(right, facts.kind),
    )
    sufficient_relations = effective_relations(relations) & holders
    if sufficient_relations:
        return max(sufficient_relations, key=list(Relation).index)
    if Relation.FORMER_PLAYER in relations and relations & holders:
        raise NotAllowed(DenialReason.SAT_AT_TABLE)
    if person.lacks_passkey and Relation.SITE_MODERATOR in holders and not _has_sat(relations):
        raise PasskeyRequired
    raise NotFound


def _has_sat(relations: frozenset[Relation]) -> bool:
    return bool(relations & {Relation.PLAYER, Relation.FORMER_PLAYER})
