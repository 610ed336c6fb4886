"""The paths of all pages, built without a request, for pages, emails and tests.

Each function returns a path on this server; ``absolute_url`` adds the server's address.
"""

from urllib.parse import quote, urlencode

from webapp.account_urls import *  # noqa: F403 - these paths are part of this module
from webapp.moderation_urls import *  # noqa: F403


def absolute_url(base_url: str, path: str) -> str:
    """Return the full URL of a path, for emails and for links to share."""
    return base_url.rstrip("/") + path


def home() -> str:
    return "/"


def next_game() -> str:
    """Return the path that redirects to the game waiting for the viewer with the least time left."""
    return "/next"


def sign_in(return_path: str | None = None) -> str:
    """Return the form that requests a sign-in email; ``return_path`` is the page to open afterwards."""
    return "/sign-in" + _query_string(return_path=return_path)


def sign_in_code() -> str:
    return "/sign-in/code"


def sign_in_link(token: str) -> str:
    """Return the link in a sign-in email: a GET shows a button, a POST signs in."""
    return f"/sign-in/link/{_quoted_part(token)}"


def sign_out() -> str:
    return "/sign-out"


def privacy() -> str:
    """Return the page about personal data and how long it is kept."""
    return "/privacy"


def tables() -> str:
    """Return where a table is opened (POST)."""
    return "/games"


def new_game(*, club: str | None = None) -> str:
    """Return the form that opens a table, in a club with the club's defaults."""
    return "/games/new" + _query_string(club=club)


def bot_game() -> str:
    """Return where a game against bots is opened with one button (POST)."""
    return "/games/quick"


def game(slug: str, **selection: str | int | None) -> str:
    """Return the page of a game, its lobby before the deal. ``selection`` is what the viewer has picked (card, cell ...)."""
    return f"/games/{_quoted_part(slug)}" + _query_string(**selection)


def turns(slug: str) -> str:
    """Return where a turn is taken (POST)."""
    return f"/games/{_quoted_part(slug)}/turns"


def lobby_action(slug: str, verb: str) -> str:
    """Return where a table is changed before the deal (POST): sit, leave, ready, fill ..."""
    return f"/games/{_quoted_part(slug)}/{_quoted_part(verb)}"


def history(slug: str, *, until: int | None = None, seat: int | None = None) -> str:
    """Return the history with the mine after turn ``until``; ``seat`` limits the list to one player."""
    return f"/games/{_quoted_part(slug)}/history" + _query_string(until=until, seat=seat)


def fairness(slug: str) -> str:
    return f"/games/{_quoted_part(slug)}/fairness"


def export(slug: str) -> str:
    return f"/games/{_quoted_part(slug)}/export"


def invitation(token: str) -> str:
    return f"/invitations/{_quoted_part(token)}"


def clubs() -> str:
    """Return the list of clubs; where a club is founded (POST)."""
    return "/clubs"


def new_club() -> str:
    return "/clubs/new"


def club(slug: str, *, season: int | None = None) -> str:
    """Return the page of a club; ``season`` is the id of a season, 0 for all games."""
    return f"/clubs/{_quoted_part(slug)}" + _query_string(season=season)


def club_members(slug: str) -> str:
    return f"/clubs/{_quoted_part(slug)}/members"


def club_settings(slug: str) -> str:
    return f"/clubs/{_quoted_part(slug)}/settings"


def club_action(slug: str, verb: str) -> str:
    """Return where something is done in a club (POST): ask, leave, announce, invite, link, close ..."""
    return f"/clubs/{_quoted_part(slug)}/{_quoted_part(verb)}"


def club_member_action(slug: str, member: int, verb: str) -> str:
    """Return where a moderator decides about a member (POST): approve, refuse, remove, promote, demote, hand-over."""
    return f"/clubs/{_quoted_part(slug)}/members/{member}/{_quoted_part(verb)}"


def club_season(slug: str, season: int) -> str:
    """Return where a season is deleted (POST)."""
    return f"/clubs/{_quoted_part(slug)}/seasons/{season}/delete"


def club_invitation(token: str) -> str:
    return f"/club-invitations/{_quoted_part(token)}"


def unsubscribe(token: str) -> str:
    """Return the path of the ``List-Unsubscribe`` header (RFC 8058)."""
    return f"/u/{_quoted_part(token)}"


def resubscribe(token: str) -> str:
    return f"/u/{_quoted_part(token)}/resubscribe"


def rules() -> str:
    """Return the comparison of all rulebooks."""
    return "/rules"


def rulebook(key: str, rule: str | None = None) -> str:
    """Return the page of a rulebook; ``rule`` is the number of a rule to scroll to, such as R15."""
    return f"/rules/{_quoted_part(key)}" + ("" if rule is None else f"#{_quoted_part(rule)}")


def about() -> str:
    """Return the page about this site: its version and licence."""
    return "/about"


def legal_page(name: str) -> str:
    """Return the imprint or the privacy notice of the operator."""
    return f"/legal/{_quoted_part(name)}"


def rights() -> str:
    """Return the page that shows who may do what."""
    return "/rights"


def mailbox(*, to: str | None = None, page: int | None = None) -> str:
    """Return the mailbox of a server without a relay; ``to`` limits it to one recipient."""
    return "/mailbox" + _query_string(to=to or None, page=page)


def players(slug: str) -> str:
    """Return the people of a game, where they can be blocked."""
    return f"{game(slug)}/players"


def seen_announcements(slug: str) -> str:
    """Return where a player confirms that they have seen the newest announcement to the table (POST)."""
    return f"{game(slug)}/announcements/seen"


def block(slug: str, seat: int) -> str:
    """Return where a player is blocked (POST)."""
    return f"{players(slug)}/{seat}/block"


def mailbox_email(key: str) -> str:
    return f"/mailbox/{_quoted_part(key)}"


def mailbox_email_html(key: str) -> str:
    """Return the HTML of an email, for a frame."""
    return f"/mailbox/{_quoted_part(key)}/html"


def health() -> str:
    return "/healthz"


def readiness_probe() -> str:
    return "/readyz"


def metrics() -> str:
    return "/metrics"


def _quoted_part(text: str) -> str:
    return quote(text, safe="")


def _query_string(**parameters: str | int | None) -> str:
    present_parameters = {name: value for name, value in parameters.items() if value is not None}
    return f"?{urlencode(present_parameters)}" if present_parameters else ""
