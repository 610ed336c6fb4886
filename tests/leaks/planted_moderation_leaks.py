"""Leaks planted on purpose in what moderators see: the crawl must find each of them too.

Its own module because :mod:`tests.leaks.planted_leaks` is long enough.
"""

from tests.leaks.observed_site import ObservedSite
from tests.leaks.planted_leaks import LEAKED_SEAT, PlantedLeak, hand_text, leak_in_body


def _address_of_player(observed_site: ObservedSite) -> str:
    """Return what a club's moderator may not know."""
    return observed_site.seed_data.seated_guests[LEAKED_SEAT].person.address


def _roles_text(observed_site: ObservedSite) -> str:
    return repr(observed_site.state.roles)


_DASHBOARD_ENDPOINT = "moderation.show_dashboard"
_GAME_PAGE_ENDPOINT = "moderated_game.show_moderated_game"
_SITE_MODERATOR_LEAKS = (
    leak_in_body(
        _DASHBOARD_ENDPOINT, "a hand in the moderators' list", "GET /moderation", hand_text
    ),
    leak_in_body(
        _DASHBOARD_ENDPOINT, "roles in the moderators' list", "GET /moderation", _roles_text
    ),
    leak_in_body(
        _GAME_PAGE_ENDPOINT, "a hand in the moderators' page", "GET /moderation/games/", hand_text
    ),
    leak_in_body("acts.show_act", "roles in a preview", "GET /moderation/games/", _roles_text),
)
_CLUB_MODERATOR_LEAKS = (
    leak_in_body(
        _DASHBOARD_ENDPOINT, "a hand in the club's list", "GET /moderation?club=", hand_text
    ),
    leak_in_body(
        _DASHBOARD_ENDPOINT, "an address in the club's list", "GET /moderation?", _address_of_player
    ),
)
PLANTED_MODERATION_LEAKS: tuple[PlantedLeak, ...] = (
    *(leak._replace(reader="moderator") for leak in _SITE_MODERATOR_LEAKS),
    *(leak._replace(reader="club moderator") for leak in _CLUB_MODERATOR_LEAKS),
)
