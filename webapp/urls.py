"""Where every page lives, known without a request: pages, mails and tests ask here.

Each function gives a path on this server; ``absolute`` puts the address that players type before it.
"""

from urllib.parse import quote, urlencode


def absolute(base_url: str, path: str) -> str:
    """The whole address of a page, for letters and for links that are handed on."""
    return base_url.rstrip("/") + path


def home() -> str:
    return "/"


def next_game() -> str:
    """Leads to the game that waits for the reader with the least time left."""
    return "/next"


def sign_in(then: str | None = None) -> str:
    """Where one asks for a sign-in letter; ``then`` is the path to come back to."""
    return "/sign-in" + _query(then=then)


def sign_in_code() -> str:
    return "/sign-in/code"


def sign_in_link(token: str) -> str:
    """The link of a sign-in letter: shows a button and consumes nothing."""
    return f"/sign-in/link/{_part(token)}"


def sign_out() -> str:
    return "/sign-out"


def profile() -> str:
    return "/profile"


def session(ref: str) -> str:
    """Where a session is ended (POST)."""
    return f"/profile/sessions/{_part(ref)}"


def other_sessions() -> str:
    """Where all sessions but this one are ended (POST)."""
    return "/profile/sessions"


def letters() -> str:
    """Where one wants letters again that one has stopped (POST)."""
    return "/profile/letters"


def tables() -> str:
    """Where a table is opened (POST)."""
    return "/games"


def new_game() -> str:
    return "/games/new"


def quick_game() -> str:
    """Where a game against bots is opened in one press (POST)."""
    return "/games/quick"


def game(slug: str, **choice: str | int | None) -> str:
    """The table: its lobby before the deal. ``choice`` is what the reader has chosen so far (card, cell ...)."""
    return f"/games/{_part(slug)}" + _query(**choice)


def turns(slug: str) -> str:
    """Where a turn is taken (POST)."""
    return f"/games/{_part(slug)}/turns"


def lobby(slug: str, verb: str) -> str:
    """Where something is done at a table before the deal (POST): sit, stand, ready, fill ..."""
    return f"/games/{_part(slug)}/{_part(verb)}"


def history(slug: str, *, until: int | None = None, seat: int | None = None) -> str:
    """The game step by step, as it stood after turn ``until``; ``seat`` shows the turns of one player alone."""
    return f"/games/{_part(slug)}/history" + _query(until=until, seat=seat)


def fairness(slug: str) -> str:
    return f"/games/{_part(slug)}/fairness"


def export(slug: str) -> str:
    return f"/games/{_part(slug)}/export"


def invitation(token: str) -> str:
    return f"/invitations/{_part(token)}"


def unsubscribe(token: str) -> str:
    """The address of ``List-Unsubscribe`` (RFC 8058)."""
    return f"/u/{_part(token)}"


def resubscribe(token: str) -> str:
    return f"/u/{_part(token)}/back"


def rules() -> str:
    """All rulebooks side by side."""
    return "/rules"


def rulebook(key: str, rule: str | None = None) -> str:
    """A rulebook in our words; ``rule`` is the number to stand at, such as R15."""
    return f"/rules/{_part(key)}" + ("" if rule is None else f"#{_part(rule)}")


def about() -> str:
    """What this is, its licence, and where its source is."""
    return "/about"


def mailbox(*, to: str | None = None, page: int | None = None) -> str:
    """The mails of a server that sends none; ``to`` shows those of one address."""
    return "/mailbox" + _query(to=to or None, page=page)


def mail(key: str) -> str:
    return f"/mailbox/{_part(key)}"


def mail_as_html(key: str) -> str:
    """The letter as its author laid it out, for a frame."""
    return f"/mailbox/{_part(key)}/html"


def health() -> str:
    return "/healthz"


def readiness() -> str:
    return "/readyz"


def metrics() -> str:
    return "/metrics"


def _part(text: str) -> str:
    return quote(text, safe="")


def _query(**parameters: str | int | None) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""
