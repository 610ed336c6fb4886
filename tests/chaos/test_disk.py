from datetime import timedelta
from pathlib import Path

from tests.chaos.deployment import DATABASE_NAME, POSTGRES_SETTINGS
from tests.chaos.disk import fill_disk, small_disk
from tests.support.fakes import FakeClock
from tests.support.postgres import running_server
from webapp.embedded.programs import PostgresPrograms
from webapp.kernel.tx import Database
from webapp.operations.processes import WriteCheck
from webapp.operations.queries.migrate import upgrade_schema


def test_database_with_a_full_disk_takes_no_changes(
    tmp_path: Path, programs: PostgresPrograms
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        if disk is None:
            assert (tmp_path / "disk").is_dir()
            return
        with running_server(disk, programs, POSTGRES_SETTINGS) as server:
            server.ensure_database(DATABASE_NAME)
            upgrade_schema(server.url_of(DATABASE_NAME))
            database = Database(server.url_of(DATABASE_NAME), pool_size=1)
            assert states_while_the_disk_is_full(database, disk) == [
                "up",
                "takes no changes",
                "up",
            ]
            database.dispose()


def states_while_the_disk_is_full(database: Database, disk: Path) -> list[str]:
    """Return what the check says before the disk is full, meanwhile, and afterwards."""
    clock = FakeClock()
    check = WriteCheck(database, "web:1", now=clock)
    states: list[str] = [check.state()]
    ballast_file = fill_disk(disk)
    clock.move(timedelta(seconds=1))
    states.append(check.state())
    ballast_file.unlink()
    clock.move(timedelta(seconds=1))
    return [*states, check.state()]
