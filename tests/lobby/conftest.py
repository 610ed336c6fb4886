"""People who are offered seats."""

import pytest

from tests.support.cast import DAVE, MALLORY
from tests.support.factories import Guest, sign_in_guest
from webapp.kernel.tx import Database


@pytest.fixture
def dave(database: Database) -> Guest:
    return sign_in_guest(database, DAVE)


@pytest.fixture
def mallory(database: Database) -> Guest:
    return sign_in_guest(database, MALLORY)
