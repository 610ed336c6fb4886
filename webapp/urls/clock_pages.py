"""The paths of the clock: absences, reminders and quiet hours of an account, and open seats of games."""

from webapp.urls.paths import quoted_part
from webapp.urls.play_pages import game


def time_away() -> str:
    """Return the page on which people say when they are away and when they want reminders."""
    return "/account/away"


def start_holiday() -> str:
    """Return where an absence from now on is declared (POST)."""
    return "/account/away/now"


def absence(absence_id: int) -> str:
    """Return the page that changes one absence."""
    return f"/account/away/{absence_id}"


def end_absence(absence_id: int) -> str:
    """Return where an absence is ended or withdrawn (POST)."""
    return f"/account/away/{absence_id}/end"


def reminders() -> str:
    """Return where the times of reminders are stored (POST)."""
    return "/account/away/reminders"


def quiet_hours() -> str:
    """Return where quiet hours are stored (POST)."""
    return "/account/away/quiet-hours"


def open_seat_emails() -> str:
    """Return where it is stored whether someone wants emails about open seats (POST)."""
    return "/account/away/open-seats"


def briefing(slug: str) -> str:
    """Return the page that tells a player who takes over a seat what the seat knows."""
    return f"{game(slug)}/briefing"


def open_seats() -> str:
    """Return the list of games that need a player."""
    return "/games/open-seats"


def open_seat(slug: str, link: str | None = None) -> str:
    """Return the page of a seat whose player missed too many turns: a GET shows it, a POST takes it.

    ``link`` is the token of an invitation to the table, for people who would not see a private table without it.
    """
    query = f"?link={quoted_part(link)}" if link else ""
    return f"{game(slug)}/open-seat{query}"
