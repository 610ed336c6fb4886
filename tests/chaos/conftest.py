from collections.abc import Iterator

import pytest

from tests.chaos.deployment import Deployment, running_deployment
from tests.support.required_programs import redis_server, system_postgres
from webapp.embedded.programs import PostgresPrograms


@pytest.fixture(scope="session")
def programs() -> PostgresPrograms:
    """Return the system's Postgres; skip the test without it or without Redis."""
    redis_server()
    return system_postgres()


@pytest.fixture(scope="package")
def deployment(
    programs: PostgresPrograms, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    with running_deployment(
        tmp_path_factory.mktemp("installation"), programs
    ) as started_deployment:
        yield started_deployment
