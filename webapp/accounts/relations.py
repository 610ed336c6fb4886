"""What a person is in relation to a game, a club or the site, and the check that they have a right."""

from typing import Final, NamedTuple

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
    strongest,
)

_RELATION_BY_RANK: Final = {
    "founder": Relation.CLUB_FOUNDER,
    "moderator": Relation.CLUB_MODERATOR,
    "member": Relation.MEMBER,
}


class TableFacts(NamedTuple):
    """What decides the rights of one person at a table."""

    kind: TableKind
    is_host: bool = False
    is_player: bool = False
    is_former_player: bool = False
    """Whether they held a seat there before. Moderators count it only until the game is over."""
    rank_in_club: str | None = None
    """Their rank in the table's club; None if they are no member."""


def site_relations(person: Person | None) -> frozenset[Relation]:
    """Return what a person is on the whole site."""
    if person is None:
        return frozenset({Relation.VISITOR})
    moderator_relations = {Relation.SITE_MODERATOR} if person.is_moderator else set()
    return frozenset({Relation.STRANGER} | moderator_relations)


def club_relations(person: Person | None, rank: str | None) -> frozenset[Relation]:
    """Return what a person is in a club; the rank is None if they are no member."""
    relations = site_relations(person)
    return relations if rank is None else relations | {_RELATION_BY_RANK[rank]}


def table_relations(person: Person | None, facts: TableFacts) -> frozenset[Relation]:
    """Return what a person is at a table."""
    is_held_by_relation = {
        Relation.PLAYER: facts.is_player,
        Relation.FORMER_PLAYER: facts.is_former_player,
        Relation.HOST: facts.is_host,
    }
    relations_at_table = {relation for relation, is_held in is_held_by_relation.items() if is_held}
    return club_relations(person, facts.rank_in_club) | relations_at_table


def require_site_right(person: Person | None, right: SiteRight) -> Person:
    """Return the person if they have the right. Raises NotFound: to others there is nothing here.

    Raises PasskeyRequired for a site moderator who has not used a passkey in this session, if the site demands it.
    """
    if person is not None and person.lacks_passkey:
        raise PasskeyRequired
    if person is None or not has_site_right(right, site_relations(person)):
        raise NotFound
    return person


def relation_with_right(
    person: Person | None, right: GameRight, facts: TableFacts
) -> Relation | None:
    """Return the strongest relation that gives the person this right at the table; None if none does."""
    relations = effective_relations(table_relations(person, facts))
    return strongest(relations & relations_with(right, facts.kind))


def require_game_right(person: Person, right: GameRight, facts: TableFacts) -> Relation:
    """Return the strongest relation that gives the person this right at the table.

    Raises NotFound, and NotAllowed for someone who would have the right if they had not sat there. Raises
    PasskeyRequired as ``require_site_right`` does.
    """
    relations, holders = table_relations(person, facts), relations_with(right, facts.kind)
    relation = relation_with_right(person, right, facts)
    if relation is not None:
        return relation
    if Relation.FORMER_PLAYER in relations and relations & holders:
        raise NotAllowed(DenialReason.SAT_AT_TABLE)
    if person.lacks_passkey and Relation.SITE_MODERATOR in holders and not _has_sat(relations):
        raise PasskeyRequired
    raise NotFound


def _has_sat(relations: frozenset[Relation]) -> bool:
    return bool(relations & {Relation.PLAYER, Relation.FORMER_PLAYER})
