import pytest

from tests.support.cast import ALICE, BOB, CAROL, DAVE, ERIN
from tests.support.factories import Guest, deal_game, in_scene, sign_in_guests
from webapp.services.tx import Database


@pytest.fixture
def guests(database: Database) -> list[Guest]:
    """Alice, Bob and Carol, signed in."""
    return [
        *in_scene(database, "three guests", lambda: sign_in_guests(database, ALICE, BOB, CAROL))
    ]


@pytest.fixture
def five_guests(database: Database) -> list[Guest]:
    """Alice, Bob, Carol, Dave and Erin, signed in."""
    characters = (ALICE, BOB, CAROL, DAVE, ERIN)
    return [*in_scene(database, "five guests", lambda: sign_in_guests(database, *characters))]


@pytest.fixture
def slug(database: Database, guests: list[Guest]) -> str:
    """A game of Alice, Bob and Carol by invitation, just dealt; Alice starts."""
    return in_scene(database, "a dealt game", lambda: deal_game(database, guests))
