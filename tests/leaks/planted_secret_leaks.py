"""Leaks planted on purpose of the secrets behind the deal and the chain of turns: the crawl must find each of them too.

Its own module because :mod:`tests.leaks.planted_leaks` is long enough.
"""

from tests.leaks.observed_site import ObservedSite
from tests.leaks.planted_leaks import LEAKED_SEAT, leak_in_body
from tests.leaks.seed_data import SALTS
from tests.support.factories import stored_game
from webapp.services.play.access import LoadedGame


def _running_game(site: ObservedSite) -> LoadedGame:
    seed_data = site.seed_data
    return stored_game(site.database, seed_data.running_slug, seed_data.seated_guests[0])


def _salt_of_leaked_seat(_: ObservedSite) -> str:
    return SALTS[LEAKED_SEAT]


def _secret_of_game(site: ObservedSite) -> str:
    secret = _running_game(site).row.secret
    assert secret is not None
    return secret.round_3.hex()


def _nonce_of_turn(site: ObservedSite) -> str:
    return _running_game(site).turn_chain().nonce(0).hex()


PLANTED_SECRET_LEAKS = (
    leak_in_body("fairness.show_fairness", "the secret of a deal", "GET /games/", _secret_of_game),
    leak_in_body("fairness.show_fairness", "the nonce of a turn", "GET /games/", _nonce_of_turn),
    leak_in_body("table.show_game", "salt before the freeze", "GET /games/", _salt_of_leaked_seat),
)
