"""The paths of the clock: absences, reminders and quiet hours of an account."""


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
