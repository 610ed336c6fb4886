"""The paths of the home page, the rules, and the pages about this site."""

from webapp.urls.paths import query_string, quoted_part


def home() -> str:
    return "/"


def next_game(*, after: str | None = None) -> str:
    """Return the path that redirects to the game waiting for the viewer with the least time left, or to the one after a game left for later."""
    return "/next" + query_string(after=after)


def how_to_play() -> str:
    """Return the page that explains the game in one screen."""
    return "/how-to-play"


def archive(**query: str | int | None) -> str:
    """Return the viewer's finished games, with a filter and the game after which the page begins."""
    return "/archive" + query_string(**query)


def rules() -> str:
    """Return the comparison of all rulebooks."""
    return "/rules"


def rulebook(key: str, rule: str | None = None) -> str:
    """Return the page of a rulebook; ``rule`` is the number of a rule to scroll to, such as R15."""
    return f"/rules/{quoted_part(key)}" + ("" if rule is None else f"#{quoted_part(rule)}")


def about() -> str:
    """Return the page about this site: its version and licence."""
    return "/about"


def legal_page(name: str) -> str:
    """Return the imprint or the privacy notice of the operator."""
    return f"/legal/{quoted_part(name)}"


def privacy() -> str:
    """Return the page about personal data and how long it is kept."""
    return "/privacy"


def rights() -> str:
    """Return the page that shows who may do what."""
    return "/rights"


def security_txt() -> str:
    """Return the file that says where to report vulnerabilities (RFC 9116, section 3)."""
    return "/.well-known/security.txt"
