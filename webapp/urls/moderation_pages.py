"""The paths of moderators' pages, and of reports and appeals."""

from typing import Final

from webapp.urls.paths import query_string, quoted_part

_MAX_PATH_LENGTH: Final = 1000


def moderation(**query: str | int | None) -> str:
    """Return the dashboard of site moderators; ``query`` filters its games."""
    return "/moderation" + query_string(**query)


def dashboard_or_none(path: str) -> str | None:
    """Return a path that came with a form if it is the dashboard's, with any filter; None for every other text."""
    base = moderation()
    is_dashboard = path == base or path.startswith(f"{base}?")
    return path if is_dashboard and path.isprintable() and len(path) <= _MAX_PATH_LENGTH else None


def moderated_game(slug: str) -> str:
    """Return the page of a game for its moderators."""
    return f"/moderation/games/{quoted_part(slug)}"


def moderated_person(ref: str) -> str:
    """Return the page of a person for site moderators; ``ref`` is the account's own, not its id."""
    return f"/moderation/people/{quoted_part(ref)}"


def sanction(ref: str, kind: str, *, report: int | None = None) -> str:
    """Return the form with which a moderator warns, bans or renames a person, or lifts a ban (GET, POST)."""
    return f"/moderation/people/{quoted_part(ref)}/{quoted_part(kind)}" + query_string(
        report=report
    )


def reports(*, state: str | None = None) -> str:
    """Return the reports that wait for a moderator."""
    return "/moderation/reports" + query_string(state=state)


def report(number: int) -> str:
    """Return a report, and where it is decided (POST)."""
    return f"/moderation/reports/{number}"


def new_report(slug: str, *, seat: int | None = None) -> str:
    """Return the form with which a player reports someone at a table (GET, POST)."""
    return f"/games/{quoted_part(slug)}/report" + query_string(seat=seat)


def appeal(token: str) -> str:
    """Return the form of an appeal, for which no one needs to sign in (GET, POST)."""
    return f"/appeals/{quoted_part(token)}"


def acknowledge_warning() -> str:
    """Return where a person confirms that they have read a warning (POST)."""
    return "/profile/warning"


def saved_filters() -> str:
    """Return where a filter of the dashboard is saved (POST)."""
    return "/moderation/filters"


def saved_filter(number: int) -> str:
    """Return where a saved filter is deleted (POST)."""
    return f"/moderation/filters/{number}"


def peek(slug: str) -> str:
    """Return the page that asks a moderator before they look at the secrets of a game (GET, POST)."""
    return f"/moderation/games/{quoted_part(slug)}/peek"


def peeked_game(slug: str) -> str:
    """Return the page with the secrets of a game, for a moderator whose look was recorded just before."""
    return f"/moderation/games/{quoted_part(slug)}/peek/open"


def site_settings() -> str:
    """Return the form with the settings of the site (GET, POST)."""
    return "/moderation/settings"


def security_log(**query: str | int | None) -> str:
    """Return the security log; ``query`` has a kind, the reference of a person, and the id before which events are."""
    return "/moderation/security" + query_string(**query)


def ledger(**query: str | int | None) -> str:
    """Return the ledger; ``query`` has an act, who did it, a game, whom it is about, and the id before which entries are."""
    return "/moderation/ledger" + query_string(**query)


def site_announcement() -> str:
    """Return the page on which a site moderator announces something to everyone (GET, POST)."""
    return "/moderation/announcement"


def withdraw_announcement() -> str:
    """Return where the announcement to everyone is withdrawn (POST)."""
    return "/moderation/announcement/withdraw"


def dismiss_announcement(number: int) -> str:
    """Return where a person hides an announcement for good (POST)."""
    return f"/announcements/{number}/dismiss"


def statistics(*, days: int | None = None) -> str:
    """Return the health of the site and the charts over so many days."""
    return "/moderation/statistics" + query_string(days=days)


def moderated_act(slug: str, act: str, **query: str | int | None) -> str:
    """Return the form of an act on a game, such as "extend"; ``query`` fills it in, and the page shows a preview (GET, POST)."""
    return f"/moderation/games/{quoted_part(slug)}/acts/{quoted_part(act)}" + query_string(**query)


def bulk_act(act: str, *, back: str | None = None) -> str:
    """Return the form of an act on several games at once: the query and the form name each as ``game=SLUG:SEQ``.

    ``back`` is the list of games from which they were chosen.
    """
    return f"/moderation/acts/{quoted_part(act)}" + query_string(back=back)
