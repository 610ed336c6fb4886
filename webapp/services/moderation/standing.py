"""What a person is in relation to a game or to the site, and the check that they have a right."""

from typing import NamedTuple

from webapp.rights import (
    GameRight,
    SiteRight,
    Standing,
    TableKind,
    effective_standings,
    has_site_right,
    standings_with,
)
from webapp.services.accounts.person import PasskeyRequired, Person
from webapp.services.errors import DenialReason, NotAllowed, NotFound


class TableFacts(NamedTuple):
    """What decides who may moderate a table."""

    kind: TableKind
    host_id: int
    seated_account_ids: frozenset[int]
    """The accounts of the people who sit there."""
    former_player_ids: frozenset[int] = frozenset()
    """The accounts of the people who sat there, as long as the game is in progress."""


def site_standings(person: Person | None) -> frozenset[Standing]:
    """Return what a person is on the whole site."""
    if person is None:
        return frozenset({Standing.VISITOR})
    moderator_standings = {Standing.SITE_MODERATOR} if person.is_moderator else set()
    return frozenset({Standing.STRANGER} | moderator_standings)


def table_standings(
    person: Person | None, facts: TableFacts, *, club_standings: frozenset[Standing] = frozenset()
) -> frozenset[Standing]:
    """Return what a person is at a table; ``club_standings`` is their rank in the table's club."""
    standings = site_standings(person) | club_standings
    if person is None:
        return standings
    if person.id in facts.seated_account_ids:
        standings |= {Standing.PLAYER}
    if person.id in facts.former_player_ids:
        standings |= {Standing.FORMER_PLAYER}
    if person.id == facts.host_id:
        standings |= {Standing.HOST}
    return standings


def require_site_right(person: Person | None, right: SiteRight) -> Person:
    """Return the person if they have the right. Raises NotFound: to others there is nothing here.

    Raises PasskeyRequired for a site moderator who has not used a passkey in this session, if the site demands it.
    """
    if person is not None and person.lacks_passkey:
        raise PasskeyRequired
    if person is None or not has_site_right(right, site_standings(person)):
        raise NotFound
    return person


def require_game_right(
    person: Person,
    right: GameRight,
    facts: TableFacts,
    *,
    club_standings: frozenset[Standing] = frozenset(),
) -> Standing:
    """Return the strongest standing that gives the person this right at the table.

    Raises NotFound, and NotAllowed for someone who would have the right if they had not sat there. Raises
    PasskeyRequired as ``require_site_right`` does.
    """
    standings, holders = (
        table_standings(person, facts, club_standings=club_standings),
        standings_with(right, facts.kind),
    )
    sufficient_standings = effective_standings(standings) & holders
    if sufficient_standings:
        return max(sufficient_standings, key=list(Standing).index)
    if Standing.FORMER_PLAYER in standings and standings & holders:
        raise NotAllowed(DenialReason.SAT_AT_TABLE)
    if person.lacks_passkey and Standing.SITE_MODERATOR in holders and not _has_sat(standings):
        raise PasskeyRequired
    raise NotFound


def _has_sat(standings: frozenset[Standing]) -> bool:
    return bool(standings & {Standing.PLAYER, Standing.FORMER_PLAYER})
