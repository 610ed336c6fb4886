"""What each relation is called, and what each right allows that is not the right to an act: each act says that itself."""

from typing import Final, TypeAlias

from webapp.kernel.i18n import N_, Language
from webapp.kernel.rights import ClubRight, GameRight, Relation, SiteRight, TableKind

Right: TypeAlias = GameRight | ClubRight | SiteRight

_RELATION_NAMES: Final = {
    Relation.VISITOR: N_("Visitors"),
    Relation.STRANGER: N_("Everyone who is signed in"),
    Relation.PLAYER: N_("Players at the table"),
    Relation.FORMER_PLAYER: N_("Former players of a game in progress"),
    Relation.HOST: N_("The host"),
    Relation.MEMBER: N_("Members"),
    Relation.CLUB_MODERATOR: N_("Club moderators"),
    Relation.CLUB_FOUNDER: N_("The club's founder"),
    Relation.SITE_MODERATOR: N_("Site moderators"),
}
_TABLE_KIND_NAMES: Final = {
    TableKind.PRIVATE: N_("Private table"),
    TableKind.CLUB: N_("Club table"),
    TableKind.PUBLIC: N_("Public table"),
}
RIGHT_TEXTS: Final[dict[Right, str]] = {
    GameRight.VIEW_GAME_STATUS: N_("See whom the game waits for, its deadlines and its emails"),
    GameRight.PEEK: N_(
        "Look at all roles and cards to settle a dispute; the table is informed at the end"
    ),
    ClubRight.VIEW_MEMBERS: N_("See the members and the club's tables"),
    ClubRight.LEAVE_CLUB: N_("Leave the club"),
    ClubRight.JOIN_CLUB_TABLE: N_("Take a seat at a club table"),
    ClubRight.INVITE_TO_CLUB: N_("Invite people to the club"),
    ClubRight.ADMIT_MEMBER: N_("Accept or decline people who ask to join"),
    ClubRight.REMOVE_MEMBER: N_("Remove a member"),
    ClubRight.EDIT_CLUB: N_("Change the club's name, description and defaults"),
    ClubRight.MANAGE_SEASONS: N_("Start and end seasons"),
    ClubRight.ANNOUNCE_TO_CLUB: N_("Write a message to all members"),
    ClubRight.APPOINT_CLUB_MODERATOR: N_("Appoint and dismiss moderators"),
    ClubRight.HAND_OVER_CLUB: N_("Make another member the founder"),
    ClubRight.CLOSE_CLUB: N_("Close the club"),
    SiteRight.VIEW_DASHBOARD: N_("See which games are stuck, and why"),
    SiteRight.VIEW_PERSON: N_("See a person's games, emails and warnings"),
    SiteRight.VIEW_STATISTICS: N_("See figures about the whole site"),
    SiteRight.VIEW_LEDGER: N_("Read what moderators did"),
    SiteRight.VIEW_SECURITY_LOG: N_("See sign-ins, exports and other events that concern security"),
    SiteRight.DECIDE_REPORT: N_("Decide on reports and appeals"),
    SiteRight.REMOVE_MESSAGE: N_("Remove a message that a player has reported"),
    SiteRight.RENAME_PERSON: N_("Change an offensive account name"),
    SiteRight.WARN: N_("Warn a person"),
    SiteRight.BAN: N_("Ban a person for some time"),
    SiteRight.ANNOUNCE_TO_SITE: N_("Write a message to everyone"),
    SiteRight.CHANGE_SETTINGS: N_("Change the settings of the site"),
}


def relation_name(relation: Relation, language: Language) -> str:
    """Return what the people with this relation are called."""
    return language.gettext(_RELATION_NAMES[relation])


def table_kind_name(kind: TableKind, language: Language) -> str:
    return language.gettext(_TABLE_KIND_NAMES[kind])
