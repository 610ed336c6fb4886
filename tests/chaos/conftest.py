from collections.abc import Iterator

import pytest

from tests.chaos.installation import Installation, running_installation
from tests.support.required_programs import redis_server, system_postgres
from webapp.embedded.binaries import PostgresPrograms


@pytest.fixture(scope="session")
def programs() -> PostgresPrograms:
    """The Postgres of this system; without it, or without Redis, the test is skipped."""
    redis_server()
    return system_postgres()


@pytest.fixture(scope="package")
def here(
    programs: PostgresPrograms, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    with running_installation(tmp_path_factory.mktemp("installation"), programs) as running:
        yield running
