"""Founding a club, changing what it is, and closing it."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final, Literal, TypeAlias

import msgspec

from engine.rulebook import HouseRules
from engine.rulebooks.catalogue import RULEBOOKS
from webapp.accounts.names import (
    club_name_errors,
    name_errors,
    normalize_name,
    plain_text_and_errors,
    skeletons,
)
from webapp.accounts.person import Person
from webapp.accounts.security_log import record_act
from webapp.clock.pace.pace import LateRules, Pace, late_rules_json, pace_json
from webapp.clock.paces import pace_field_errors
from webapp.clubs.access import ClubAccess, require_club_right
from webapp.clubs.invitations import add_club_invitation
from webapp.clubs.queries import clubs, members
from webapp.clubs.queries.clubs import ClubSettings
from webapp.kernel.i18n import SUPPORTED_LANGUAGES
from webapp.kernel.keyring import slug_of_token
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed, checked_reason
from webapp.kernel.rights import ClubRight, Relation, has_club_right
from webapp.kernel.statements import lock_count
from webapp.kernel.tx import Tx
from webapp.mail.queries import outbox
from webapp.mail.queries.outbox import NewNotification
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.site.current_settings import limit_of

MAX_CLUB_NAME_LENGTH: Final = 60
MAX_DESCRIPTION_LENGTH: Final = 1000
MAX_FOUNDED_CLUBS: Final = 10
"""Open clubs of which one person is the founder."""
FOUNDED_CLUBS_PER_DAY: Final = 10
"""Clubs that one person can found in a day, also if they close them again."""
TableOpeners: TypeAlias = Literal["members", "moderators"]
TABLE_OPENERS: Final[tuple[TableOpeners, ...]] = ("members", "moderators")


class ClubProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What founder and moderators choose: what the club is, and how the form of a new table begins."""

    name: str
    description: str
    is_public: bool
    rulebook: str
    house: HouseRules
    pace: Pace
    late_rules: LateRules
    language: str
    who_may_open: str


def found_club(
    tx: Tx,
    founder: Person,
    profile: ClubProfile,
    *,
    form_token: str,
) -> str:
    """Store a new club with its founder and its link, and return the slug; a form sent twice founds one club.

    Raises FieldErrors for an impossible profile, NotAllowed for a founder without a name or with too many clubs.
    """
    if not founder.name:
        raise NotAllowed(DenialReason.NO_NAME)
    settings = _checked_settings(profile)
    slug = slug_of_token(
        tx.tokens.keys.token("club", founder.id, form_token, msgspec.json.encode(profile))
    )
    _check_limits(tx, founder, slug)
    _check_name(tx, founder, settings, slug)
    club_id = clubs.add(tx, slug, settings)
    if club_id is not None:
        members.add(tx, club_id, founder.id, rank="founder")
        add_club_invitation(tx, club_id, founder, address=None)
    return slug


def change_club(tx: Tx, access: ClubAccess, profile: ClubProfile) -> None:
    """Store a new profile. Needs the club locked. Raises FieldErrors and NotAllowed."""
    editor = require_club_right(access, ClubRight.EDIT_CLUB)
    settings = _checked_settings(profile)
    if settings.name != access.club.name or settings.is_public != access.club.is_public:
        _check_name(tx, editor, settings, access.club.slug)
    clubs.change(tx, access.club.id, settings)


def close_club(tx: Tx, access: ClubAccess, *, reason: str = "") -> None:
    """Close the club for good; its games continue. Needs the club locked. Closing it twice changes nothing.

    A site moderator states a reason. Raises FieldErrors and NotAllowed.
    """
    if access.club.closed_at is not None and access.me is not None:
        return
    require_club_right(access, ClubRight.CLOSE_CLUB)
    if needs_reason(access, ClubRight.CLOSE_CLUB):
        record_site_act(tx, access, act="club-close", reason=reason)
    members.remove_all_join_requests(tx, access.club.id)
    clubs.close(tx, access.club.id)


def club_name_and_errors(typed_name: str, *, field: str = "name") -> tuple[str, list[FieldError]]:
    """Return the name, normalized, of a club or a season, and why it cannot be used, if anything."""
    name = normalize_name(typed_name)
    errors = name_errors(name, max_length=MAX_CLUB_NAME_LENGTH)
    return name, [FieldError(field, error.code, error.params) for error in errors]


def _check_limits(tx: Tx, founder: Person, slug: str) -> None:
    lock_count(tx, "clubs", founder.id)
    if clubs.slug_exists(tx, slug):
        return
    since = tx.now - timedelta(days=1)
    if clubs.count_founded(tx, founder.id, since=since) >= FOUNDED_CLUBS_PER_DAY:
        raise NotAllowed(DenialReason.FOUNDED_ENOUGH_TODAY)
    if members.count_clubs_of_account(tx, founder.id, rank="founder") >= MAX_FOUNDED_CLUBS:
        raise NotAllowed(DenialReason.TOO_MANY_FOUNDED)
    if members.count_clubs_of_account(tx, founder.id) >= limit_of(tx, "most_clubs"):
        raise NotAllowed(DenialReason.TOO_MANY_CLUBS)


def _check_name(tx: Tx, person: Person, settings: ClubSettings, slug: str) -> None:
    """Raise FieldErrors for a name that looks like that of another club which the person can see.

    Other private clubs stay private, so two of them may have the same name.
    """
    clubs.lock_names(tx)
    if clubs.is_name_taken(tx, settings.name_skeletons, person.id, except_slug=slug):
        raise FieldErrors(FieldError("name", "club-taken"))


def _checked_settings(profile: ClubProfile) -> ClubSettings:
    """Return the columns of a profile. Raises FieldErrors with everything that is wrong."""
    name, errors_of_name = club_name_and_errors(profile.name)
    description, text_errors = plain_text_and_errors(
        "description", profile.description, max_length=MAX_DESCRIPTION_LENGTH
    )
    errors_of_name = errors_of_name or club_name_errors(name)
    errors = [*errors_of_name, *text_errors, *pace_field_errors(profile.pace)]
    errors += _unknown_value_errors("rulebook", profile.rulebook, RULEBOOKS)
    errors += _unknown_value_errors("language", profile.language, SUPPORTED_LANGUAGES)
    errors += _unknown_value_errors("who_may_open", profile.who_may_open, TABLE_OPENERS)
    if errors:
        raise FieldErrors(*errors)
    return ClubSettings(
        name=name,
        name_skeletons=sorted(skeletons(name)),
        description=description,
        is_public=profile.is_public,
        rulebook=profile.rulebook,
        house=msgspec.to_builtins(profile.house),
        allowance=profile.pace.time_per_turn,
        pace=pace_json(profile.pace),
        late_rules=late_rules_json(profile.late_rules),
        language=profile.language,
        who_may_open=profile.who_may_open,
    )


def _unknown_value_errors(
    field: str, value: str, known_values: Collection[str]
) -> list[FieldError]:
    return [] if value in known_values else [FieldError(field, "unknown")]


def needs_reason(access: ClubAccess, right: ClubRight) -> bool:
    """Return whether the viewer has this right only because they moderate the whole site."""
    return access.has_right(right) and not has_club_right(
        right, access.relations - {Relation.SITE_MODERATOR}
    )


def record_site_act(
    tx: Tx,
    access: ClubAccess,
    *,
    act: str,
    reason: str,
    account_id: int | None = None,
) -> None:
    """Write what the viewer does to the ledger, and queue the emails about it. Raises FieldErrors for ``reason``."""
    assert access.me is not None
    entry = NewLedgerEntry(
        act=act,
        actor_id=access.me.id,
        acted_as=Relation.SITE_MODERATOR,
        club_id=access.club.id,
        account_id=account_id,
        reason=checked_reason(reason),
        # Both acts change nothing the second time and get here only once.
        form_id=f"{act} {access.club.id} {account_id or 0} {tx.now.isoformat()}",
        at=tx.now,
    )
    entry_id = record_act(tx, entry)
    if entry_id is not None:
        _notify_members(tx, access.club.id, entry_id)


def _notify_members(tx: Tx, club_id: int, entry_id: int) -> None:
    """Queue an email to every member: what a site moderator does concerns them all."""
    emails = [
        NewNotification(
            kind="club-act",
            game_id=None,
            account_id=member.account_id,
            dedup_key=entry_id,
            due_at=tx.now,
        )
        for member in members.members_of_club(tx, club_id)
        if member.status == "member"
    ]
    outbox.enqueue(tx, emails)
