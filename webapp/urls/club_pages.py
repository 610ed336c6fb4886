"""The paths of clubs."""

from webapp.urls.paths import query_string, quoted_part


def clubs() -> str:
    """Return the list of clubs; where a club is founded (POST)."""
    return "/clubs"


def new_club() -> str:
    return "/clubs/new"


def club(slug: str, *, season: int | None = None) -> str:
    """Return the page of a club; ``season`` is the id of a season, 0 for all games."""
    return f"/clubs/{quoted_part(slug)}" + query_string(season=season)


def club_members(slug: str) -> str:
    return f"/clubs/{quoted_part(slug)}/members"


def club_settings(slug: str) -> str:
    return f"/clubs/{quoted_part(slug)}/settings"


def club_action(slug: str, verb: str) -> str:
    """Return where something is done in a club (POST): ask, leave, announce, invite, link, close ..."""
    return f"/clubs/{quoted_part(slug)}/{quoted_part(verb)}"


def club_member_action(slug: str, member: int, verb: str) -> str:
    """Return where a moderator decides about a member (POST): approve, refuse, remove, promote, demote, hand-over."""
    return f"/clubs/{quoted_part(slug)}/members/{member}/{quoted_part(verb)}"


def club_season(slug: str, season: int) -> str:
    """Return where a season is deleted (POST)."""
    return f"/clubs/{quoted_part(slug)}/seasons/{season}/delete"


def club_invitation(token: str) -> str:
    return f"/club-invitations/{quoted_part(token)}"
