"""The paths of all pages, built without a request, for pages, emails and tests.

Each function returns a path on this server; ``absolute`` adds the server's address.
"""

from urllib.parse import quote, urlencode


def absolute(base_url: str, path: str) -> str:
    """Return the full URL of a path, for emails and for links to share."""
    return base_url.rstrip("/") + path


def home() -> str:
    return "/"


def next_game() -> str:
    """Return the path that redirects to the game waiting for the viewer with the least time left."""
    return "/next"


def sign_in(return_path: str | None = None) -> str:
    """Return the form that requests a sign-in email; ``return_path`` is the page to open afterwards."""
    return "/sign-in" + _query(return_path=return_path)


def sign_in_code() -> str:
    return "/sign-in/code"


def sign_in_link(token: str) -> str:
    """Return the link in a sign-in email: a GET shows a button, a POST signs in."""
    return f"/sign-in/link/{_part(token)}"


def sign_out() -> str:
    return "/sign-out"


def profile() -> str:
    return "/profile"


def session(ref: str) -> str:
    """Return where another browser is signed out (POST)."""
    return f"/profile/sessions/{_part(ref)}"


def other_sessions() -> str:
    """Return where all other browsers are signed out (POST)."""
    return "/profile/sessions"


def profile_emails() -> str:
    """Return where stopped emails are switched on again (POST)."""
    return "/profile/emails"


def tables() -> str:
    """Return where a table is opened (POST)."""
    return "/games"


def new_game() -> str:
    return "/games/new"


def bot_game() -> str:
    """Return where a game against bots is opened with one button (POST)."""
    return "/games/quick"


def game(slug: str, **selection: str | int | None) -> str:
    """Return the page of a game, its lobby before the deal. ``selection`` is what the viewer has picked (card, cell ...)."""
    return f"/games/{_part(slug)}" + _query(**selection)


def turns(slug: str) -> str:
    """Return where a turn is taken (POST)."""
    return f"/games/{_part(slug)}/turns"


def lobby_action(slug: str, verb: str) -> str:
    """Return where a table is changed before the deal (POST): sit, leave, ready, fill ..."""
    return f"/games/{_part(slug)}/{_part(verb)}"


def history(slug: str, *, until: int | None = None, seat: int | None = None) -> str:
    """Return the history with the mine after turn ``until``; ``seat`` limits the list to one player."""
    return f"/games/{_part(slug)}/history" + _query(until=until, seat=seat)


def fairness(slug: str) -> str:
    return f"/games/{_part(slug)}/fairness"


def export(slug: str) -> str:
    return f"/games/{_part(slug)}/export"


def invitation(token: str) -> str:
    return f"/invitations/{_part(token)}"


def unsubscribe(token: str) -> str:
    """Return the path of the ``List-Unsubscribe`` header (RFC 8058)."""
    return f"/u/{_part(token)}"


def resubscribe(token: str) -> str:
    return f"/u/{_part(token)}/resubscribe"


def rules() -> str:
    """Return the comparison of all rulebooks."""
    return "/rules"


def rulebook(key: str, rule: str | None = None) -> str:
    """Return the page of a rulebook; ``rule`` is the number of a rule to scroll to, such as R15."""
    return f"/rules/{_part(key)}" + ("" if rule is None else f"#{_part(rule)}")


def about() -> str:
    """Return the page about this site: its version and licence."""
    return "/about"


def mailbox(*, to: str | None = None, page: int | None = None) -> str:
    """Return the mailbox of a server without a relay; ``to`` limits it to one recipient."""
    return "/mailbox" + _query(to=to or None, page=page)


def mailbox_email(key: str) -> str:
    return f"/mailbox/{_part(key)}"


def mailbox_email_html(key: str) -> str:
    """Return the HTML of an email, for a frame."""
    return f"/mailbox/{_part(key)}/html"


def health() -> str:
    return "/healthz"


def readiness_probe() -> str:
    return "/readyz"


def metrics() -> str:
    return "/metrics"


def _part(text: str) -> str:
    return quote(text, safe="")


def _query(**parameters: str | int | None) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""
