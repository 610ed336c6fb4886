"""Clubs made through the services, as their pages make them."""

from datetime import datetime, timedelta

from engine.rulebook import HouseRules
from tests.support.factories import Guest
from tests.support.transactions import NOON, transaction
from webapp.clock.pace.pace import USUAL_LATE_RULES, Pace
from webapp.clubs import founding, joining, members
from webapp.clubs.access import ClubAccess, club_for, find_club
from webapp.clubs.founding import ClubProfile
from webapp.clubs.queries import members as stored_members
from webapp.clubs.queries.members import MembershipRow
from webapp.kernel.tx import Database, Tx


def club_profile(
    *, name: str = "Night shift", is_public: bool = False, **changed_fields: object
) -> ClubProfile:
    """Return a valid profile."""
    other_fields: dict[str, object] = {
        "description": "We dig on Tuesdays.",
        "rulebook": "en-2004",
        "house": HouseRules(),
        "pace": Pace(time_per_turn=timedelta(days=1)),
        "late_rules": USUAL_LATE_RULES,
        "language": "en",
        "who_may_open": "members",
    }
    return ClubProfile(name=name, is_public=is_public, **(other_fields | changed_fields))  # type: ignore[arg-type]


def found_club(
    database: Database,
    founder: Guest,
    profile: ClubProfile | None = None,
    *,
    form_token: str = "",
    now: datetime = NOON,
) -> str:
    """Found a club and return its slug."""
    profile = profile or club_profile()
    with transaction(database, now) as tx:
        return founding.found_club(
            tx,
            founder.person,
            profile,
            form_token=form_token or profile.name,
        )


def locked_club_access(tx: Tx, slug: str, guest: Guest, *, now: datetime = NOON) -> ClubAccess:
    """Return the club, locked, as this guest may see it."""
    return club_for(tx.at(now), slug, guest.person, mode="change")


def join_club(database: Database, slug: str, *guests: Guest, now: datetime = NOON) -> None:
    """Make guests members, as if they had an invitation."""
    for guest in guests:
        with transaction(database, now) as tx:
            access = find_club(tx, slug, guest.person, mode="change")
            joining.join_club(tx, access, guest.person)


def ask_to_join(database: Database, slug: str, guest: Guest, *, now: datetime = NOON) -> None:
    """Let a guest ask to join a public club."""
    with transaction(database, now) as tx:
        joining.ask_to_join(tx, locked_club_access(tx, slug, guest, now=now), guest.person)


def answer_request(
    database: Database,
    slug: str,
    moderator: Guest,
    guest: Guest,
    verb: str = "approve",
    *,
    now: datetime = NOON,
) -> None:
    """Do to a guest who asked to join what a moderator's button says."""
    target = membership_of(database, slug, guest)
    with transaction(database, now) as tx:
        access = locked_club_access(tx, slug, moderator, now=now)
        members.decide_on_member(tx, access, target, verb)


def membership_of(database: Database, slug: str, guest: Guest) -> MembershipRow:
    """Return what is stored of a guest's membership."""
    with transaction(database) as tx:
        access = find_club(tx, slug, guest.person)
        rows = stored_members.members_of_club(tx, access.club.id)
    [row] = [row for row in rows if row.account_id == guest.person.id]
    return row
