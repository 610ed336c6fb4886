"""`lodepost status`: what the server is doing and what needs action, on one screen."""

import argparse
import json
import platform
from pathlib import Path

from webapp.commands.database import add_data_option, open_database, settings_for
from webapp.commands.status_report import DiskSpace, StatusReport, screen_text
from webapp.doctor.broker import check_redis, redis_version
from webapp.doctor.database import cause_text, check_key, check_server, check_work
from webapp.doctor.disk import check_disk, free_bytes, own_folder, total_bytes
from webapp.doctor.processes import check_absence
from webapp.kernel.config import Settings
from webapp.kernel.keys import with_stored_keys
from webapp.kernel.operator_errors import DatabaseFailure
from webapp.kernel.refusals import Unavailable
from webapp.kernel.resources import lodepost_version
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, Tx, read_only
from webapp.logs.masks import Mask, secrets_of
from webapp.operations.health import (
    DatabaseInfo,
    database_info,
    database_size,
    local_data_folder,
    site_status,
)
from webapp.wording.terminal import printable_lines


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_data_option(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of a screen"
    )
    parser.epilog = (
        "Run it with the environment of the server, while people play. `lodepost doctor` checks more. "
        "Exit status: 0 all is well, 1 something needs action, 2 the database cannot be reached."
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the status; return 1 if something needs action. Raises DatabaseFailure if the database cannot be reached."""
    settings = settings_for(arguments)
    with open_database(settings) as url:
        report = _report(settings, url)
    text = json.dumps(report.json_object()) if arguments.json else screen_text(report)
    print(printable_lines(Mask(secrets_of(settings))(text)))
    return 1 if report.needs_action else 0


def _report(settings: Settings, url: str) -> StatusReport:
    try:
        with Database(url, pool_size=1) as database, read_only(database, utc_now()) as tx:
            return _report_of(settings, database, tx)
    except Unavailable as problem:
        raise DatabaseFailure(
            f"The database does not answer: {cause_text(problem)}. "
            "Start it, or set DATABASE_URL to where it is."
        ) from problem


def _report_of(settings: Settings, database: Database, tx: Tx) -> StatusReport:
    now = utc_now()
    info = database_info(tx)
    # Without the tables of this release there is nothing to show but what to do about that.
    status = site_status(tx) if info.is_current else None
    redis_result, redis = check_redis(settings), redis_version(settings)
    results = [*check_server(database, tx, info, utc_now)]
    if status is not None:
        results += check_work(status, now)
    results.append(redis_result)
    if status is not None:
        results += check_absence(status.processes)
        results.append(check_key(tx, with_stored_keys(settings)))
    if not settings.database_url or not settings.smtp_url:
        results.append(check_disk(own_folder(settings), free_bytes))
    database_folder = local_data_folder(tx) if settings.database_url else own_folder(settings)
    return StatusReport(
        address=settings.base_url,
        at=now,
        status=status,
        versions=_versions(info, redis),
        disk=None if database_folder is None else _disk_space(database_folder),
        database_bytes=database_size(tx),
        results=tuple(results),
    )


def _versions(info: DatabaseInfo, redis: str | None) -> dict[str, str | None]:
    return {
        "lodepost": lodepost_version(),
        "schema": info.schema,
        "postgres": str(info.postgres),
        "redis": redis,
        "python": platform.python_version(),
    }


def _disk_space(folder: Path) -> DiskSpace:
    return DiskSpace(
        folder=str(folder),
        free_bytes=free_bytes(folder),
        total_bytes=total_bytes(folder),
    )
