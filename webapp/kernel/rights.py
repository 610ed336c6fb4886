"""Who may do what: one table of rights for games, clubs and the site."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Relation(StrEnum):
    """What a person is, in relation to a game, a club or the site. One person may be several at once."""

    VISITOR = "visitor"
    """Not signed in."""
    STRANGER = "stranger"
    """Signed in, and nothing else here."""
    PLAYER = "player"
    FORMER_PLAYER = "former-player"
    """Held a seat in a game that is still in progress, and so knows a hand."""
    HOST = "host"
    """The player who opened the table."""
    MEMBER = "member"
    CLUB_MODERATOR = "club-moderator"
    CLUB_FOUNDER = "club-founder"
    SITE_MODERATOR = "site-moderator"


class TableKind(StrEnum):
    """How public a table is, which decides who may intervene in its game."""

    PRIVATE = "private"
    CLUB = "club"
    PUBLIC = "public"


class GameRight(StrEnum):
    """What may be done to a game after the deal; it depends on the kind of its table."""

    VIEW_GAME_STATUS = "view-game-status"
    """See whom the game waits for, and its turns, emails and acts: times and outcomes, never roles or cards."""
    NUDGE = "nudge"
    EXTEND = "extend"
    PAUSE = "pause"
    RESUME = "resume"
    PLAY_NEUTRAL = "play-neutral"
    OPEN_SEAT = "open-seat"
    OFFER_SEAT = "offer-seat"
    WITHDRAW_OFFER = "withdraw-offer"
    SEAT_PERSON = "seat-person"
    """Seat a person without an offer that they accept: only the operator may, on the command line."""
    SEAT_BOT = "seat-bot"
    REWIND = "rewind"
    CANCEL_GAME = "cancel-game"
    RENAME_SEAT = "rename-seat"
    HAND_OVER_TABLE = "hand-over-table"
    ANNOUNCE_TO_TABLE = "announce-to-table"
    RESEND_EMAIL = "resend-email"
    PEEK = "peek"


class ClubRight(StrEnum):
    """What may be done in a club."""

    VIEW_MEMBERS = "view-members"
    LEAVE_CLUB = "leave-club"
    JOIN_CLUB_TABLE = "join-club-table"
    INVITE_TO_CLUB = "invite-to-club"
    ADMIT_MEMBER = "admit-member"
    REMOVE_MEMBER = "remove-member"
    EDIT_CLUB = "edit-club"
    MANAGE_SEASONS = "manage-seasons"
    ANNOUNCE_TO_CLUB = "announce-to-club"
    APPOINT_CLUB_MODERATOR = "appoint-club-moderator"
    HAND_OVER_CLUB = "hand-over-club"
    CLOSE_CLUB = "close-club"


class SiteRight(StrEnum):
    """What may be done on the whole site."""

    VIEW_DASHBOARD = "view-dashboard"
    VIEW_PERSON = "view-person"
    VIEW_STATISTICS = "view-statistics"
    VIEW_LEDGER = "view-ledger"
    VIEW_SECURITY_LOG = "view-security-log"
    DECIDE_REPORT = "decide-report"
    REMOVE_MESSAGE = "remove-message"
    RENAME_PERSON = "rename-person"
    WARN = "warn"
    BAN = "ban"
    ANNOUNCE_TO_SITE = "announce-to-site"
    CHANGE_SETTINGS = "change-settings"


OPERATOR: Final = "operator"
"""The ledger's name for the operator, who acts on the command line and needs no right."""
VOTE: Final = "vote"
"""The ledger's name for all players together, who have voted for a change."""
SERVER: Final = "server"
"""The ledger's name for the server itself, which acts when the person who could has left."""

DANGEROUS_RIGHTS: Final[frozenset[GameRight | ClubRight | SiteRight]] = frozenset(
    {
        GameRight.REWIND,
        GameRight.CANCEL_GAME,
        GameRight.PEEK,
        ClubRight.REMOVE_MEMBER,
        ClubRight.APPOINT_CLUB_MODERATOR,
        ClubRight.HAND_OVER_CLUB,
        ClubRight.CLOSE_CLUB,
        SiteRight.BAN,
        SiteRight.CHANGE_SETTINGS,
    }
)
"""Rights that do harm in the wrong hands: they need a proof of who their holder is, a few minutes old at most."""

_BY_STRENGTH: Final = (
    Relation.HOST,
    Relation.CLUB_MODERATOR,
    Relation.CLUB_FOUNDER,
    Relation.SITE_MODERATOR,
    OPERATOR,
)
"""The roles in which someone acts on a game, the weakest first. No one undoes what a stronger one has done."""
_PLACES: Final = {relation: place for place, relation in enumerate(Relation)}
_SITE_MODERATORS: Final = frozenset({Relation.SITE_MODERATOR})
_FOUNDER: Final = frozenset({Relation.CLUB_FOUNDER})
_CLUB_MODERATORS: Final = frozenset({Relation.CLUB_FOUNDER, Relation.CLUB_MODERATOR})
_MEMBERS: Final = _CLUB_MODERATORS | {Relation.MEMBER}
_HOST: Final = frozenset({Relation.HOST})
_PLAYERS: Final = frozenset({Relation.PLAYER})

_RIGHTS_OF_HOSTS: Final = frozenset(
    {
        GameRight.NUDGE,
        GameRight.EXTEND,
        GameRight.PAUSE,
        GameRight.RESUME,
        GameRight.OFFER_SEAT,
        GameRight.WITHDRAW_OFFER,
        GameRight.SEAT_BOT,
        GameRight.CANCEL_GAME,
        GameRight.HAND_OVER_TABLE,
        GameRight.ANNOUNCE_TO_TABLE,
    }
)
"""What the host of a private table may do after the deal: keep the game going, but neither judge nor look closer.

The host can't take away a seat: only the clock, a moderator or its own player opens one.
"""

CLUB_RIGHTS: Final[dict[ClubRight, frozenset[Relation]]] = {
    ClubRight.VIEW_MEMBERS: _MEMBERS | _SITE_MODERATORS,
    ClubRight.LEAVE_CLUB: _MEMBERS,
    ClubRight.JOIN_CLUB_TABLE: _MEMBERS,
    ClubRight.INVITE_TO_CLUB: _CLUB_MODERATORS,
    ClubRight.ADMIT_MEMBER: _CLUB_MODERATORS,
    ClubRight.REMOVE_MEMBER: _CLUB_MODERATORS,
    ClubRight.EDIT_CLUB: _CLUB_MODERATORS,
    ClubRight.MANAGE_SEASONS: _CLUB_MODERATORS,
    ClubRight.ANNOUNCE_TO_CLUB: _CLUB_MODERATORS,
    ClubRight.APPOINT_CLUB_MODERATOR: _FOUNDER,
    ClubRight.HAND_OVER_CLUB: _FOUNDER | _SITE_MODERATORS,
    ClubRight.CLOSE_CLUB: _FOUNDER | _SITE_MODERATORS,
}
SITE_RIGHTS: Final[dict[SiteRight, frozenset[Relation]]] = dict.fromkeys(
    SiteRight, _SITE_MODERATORS
)


def table_kind(*, is_public: bool, is_in_club: bool) -> TableKind:
    """Return how public a table is; a club's table is moderated by the club, also if it is listed publicly."""
    if is_in_club:
        return TableKind.CLUB
    return TableKind.PUBLIC if is_public else TableKind.PRIVATE


def relations_with(right: GameRight, kind: TableKind) -> frozenset[Relation]:
    """Return the relations that have a right over a dealt game.

    The host of a public table has none after the deal, and in a club its moderators take the host's place. Someone who
    sits or sat at the table is never counted as its moderator: see ``effective_relations``.
    """
    if right == GameRight.SEAT_PERSON:
        return frozenset()
    player_relations = _PLAYERS if right == GameRight.NUDGE else frozenset()
    if kind == TableKind.CLUB:
        return _CLUB_MODERATORS | _SITE_MODERATORS | player_relations
    is_right_of_host = kind == TableKind.PRIVATE and right in _RIGHTS_OF_HOSTS
    return _SITE_MODERATORS | player_relations | (_HOST if is_right_of_host else frozenset())


def effective_relations(relations: frozenset[Relation]) -> frozenset[Relation]:
    """Return the relations that count at a table.

    A moderator who plays there has a player's rights there. A former player has no right over the game before it ends,
    neither as a moderator nor as the host, because they have seen a hand.
    """
    if Relation.PLAYER in relations:
        return relations & (_PLAYERS | _HOST)
    if Relation.FORMER_PLAYER in relations:
        return frozenset({Relation.FORMER_PLAYER})
    return relations


def is_stronger(acted_as: str, other: str) -> bool:
    """Return whether someone who acts as the first may not be overruled by someone who acts as the other.

    Votes and the server are no stronger than anyone.
    """
    return _strength(acted_as) > _strength(other)


def strongest(relations: Iterable[Relation]) -> Relation | None:
    """Return the relation that is declared last, as which someone with several of them acts; None if there is none."""
    return max(relations, key=_PLACES.__getitem__, default=None)


def _strength(acted_as: str) -> int:
    return _BY_STRENGTH.index(acted_as) if acted_as in _BY_STRENGTH else 0


def has_game_right(right: GameRight, kind: TableKind, relations: frozenset[Relation]) -> bool:
    return bool(effective_relations(relations) & relations_with(right, kind))


def has_club_right(right: ClubRight, relations: frozenset[Relation]) -> bool:
    return bool(relations & CLUB_RIGHTS[right])


def has_site_right(right: SiteRight, relations: frozenset[Relation]) -> bool:
    return bool(relations & SITE_RIGHTS[right])
