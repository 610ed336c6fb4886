"""What each right allows and each relation is called, for the page of rights and for sentences of moderators' pages."""

from typing import Final, TypeAlias

from webapp.i18n import N_, Language
from webapp.rights import ClubRight, GameRight, Relation, SiteRight, TableKind

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
_RIGHT_TEXTS: Final[dict[Right, str]] = {
    GameRight.VIEW_GAME_STATUS: N_("See whom the game waits for, its deadlines and its emails"),
    GameRight.NUDGE: N_("Remind the player whose turn it is"),
    GameRight.EXTEND: N_("Move a deadline"),
    GameRight.PAUSE: N_("Pause the game"),
    GameRight.RESUME: N_("Resume the game"),
    GameRight.PLAY_NEUTRAL: N_("Discard a random card for a player who doesn't play"),
    GameRight.OPEN_SEAT: N_("Free the seat of a player who has left"),
    GameRight.OFFER_SEAT: N_("Offer a seat to another person"),
    GameRight.WITHDRAW_OFFER: N_("Withdraw the offer of a seat"),
    GameRight.SEAT_PERSON: N_(
        "Seat a person without asking them: only the operator can, on the command line"
    ),
    GameRight.SEAT_BOT: N_("Let a bot take over a seat; a host can only fill an open one"),
    GameRight.REWIND: N_("Take the game back to an earlier turn"),
    GameRight.CANCEL_GAME: N_("Cancel the game"),
    GameRight.RENAME_SEAT: N_("Change an offensive name at the table"),
    GameRight.HAND_OVER_TABLE: N_("Make another player the host"),
    GameRight.ANNOUNCE_TO_TABLE: N_("Write a message to everyone at the table"),
    GameRight.RESEND_EMAIL: N_("Send an email again"),
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
    SiteRight.RENAME_PERSON: N_("Change an offensive account name"),
    SiteRight.WARN: N_("Warn a person"),
    SiteRight.BAN: N_("Ban a person for some time"),
    SiteRight.ANNOUNCE_TO_SITE: N_("Write a message to everyone"),
    SiteRight.CHANGE_SETTINGS: N_("Change the settings of the site"),
}


def right_sentence(right: Right, language: Language) -> str:
    """Return what a right allows, as an order: "Move a deadline"."""
    return language.gettext(_RIGHT_TEXTS[right])


def relation_name(relation: Relation, language: Language) -> str:
    """Return what the people with this relation are called."""
    return language.gettext(_RELATION_NAMES[relation])


def table_kind_name(kind: TableKind, language: Language) -> str:
    return language.gettext(_TABLE_KIND_NAMES[kind])
