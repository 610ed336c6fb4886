"""The paths of new tables and of tables before the deal. The page of a table has the path of its game."""

from webapp.urls.paths import query_string, quoted_part


def tables() -> str:
    """Return where a table is opened (POST)."""
    return "/games"


def new_game(*, club: str | None = None) -> str:
    """Return the form that opens a table, in a club with the club's defaults."""
    return "/games/new" + query_string(club=club)


def bot_game() -> str:
    """Return where a game against bots is opened with one button (POST)."""
    return "/games/quick"


def lobby_action(slug: str, verb: str) -> str:
    """Return where a table is changed before the deal (POST): sit, leave, ready, fill ..."""
    return f"/games/{quoted_part(slug)}/{quoted_part(verb)}"


def invitation(token: str) -> str:
    return f"/invitations/{quoted_part(token)}"


def invited_name(token: str) -> str:
    """Return the page on which an invited person chooses a name; a POST gives them the seat."""
    return f"{invitation(token)}/name"


def seat_offer(token: str) -> str:
    """Return the page of an offered seat in a game: a GET shows it, a POST accepts it."""
    return f"/seat-offers/{quoted_part(token)}"


def decline_seat_offer(token: str) -> str:
    """Return where an offered seat is declined (POST)."""
    return f"{seat_offer(token)}/decline"
