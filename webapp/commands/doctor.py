"""`lodepost doctor`: check everything that Lodepost depends on, and print what is wrong."""

import argparse
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Final

from webapp.commands.database import add_data_option, open_database, settings_for
from webapp.doctor.addresses import check_addresses, check_public_address
from webapp.doctor.broker import check_redis
from webapp.doctor.database import check_database, check_key_at
from webapp.doctor.disk import check_disk, free_bytes, own_folder
from webapp.doctor.mail import check_incoming_mail, check_mail_server, check_sender_domain
from webapp.doctor.result import CheckResult, CheckResults, Status, error
from webapp.kernel.config import Settings
from webapp.kernel.keys import with_stored_keys
from webapp.kernel.networks import fetch_txt_records
from webapp.kernel.operator_errors import EmbeddedError
from webapp.kernel.system_time import utc_now
from webapp.logs.masks import Mask, secrets_of
from webapp.wording.terminal import printable_lines

_STATUS_LABELS: Final[dict[Status, str]] = {
    "ok": "ok     ",
    "warning": "warning",
    "error": "ERROR  ",
}
_TIMEOUT_SECONDS: Final = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_data_option(parser)
    parser.add_argument(
        "--offline", action="store_true", help="skip DNS and do not request BASE_URL"
    )
    parser.epilog = (
        "Run it with the environment of the server. Exit status: 0 no errors, 1 errors found, "
        "2 the settings cannot be read."
    )


def run(arguments: argparse.Namespace) -> int:
    """Run all checks and print each result at once; return 1 if there was an error."""
    settings = settings_for(arguments)
    mask = Mask(secrets_of(settings))
    statuses = set()
    for result in _check_results(settings, offline=arguments.offline):
        statuses.add(result.status)
        print(printable_lines(mask(_text_of(result))), flush=True)
    return 1 if "error" in statuses else 0


def _check_results(settings: Settings, *, offline: bool) -> Iterator[CheckResult]:
    yield from check_addresses(settings)
    yield from _check_database(settings)
    yield check_redis(settings)
    yield check_mail_server(settings)
    yield from check_incoming_mail(settings)
    if not settings.database_url or not settings.smtp_url:
        yield check_disk(own_folder(settings), free_bytes)
    if not offline:
        yield from check_sender_domain(settings, fetch_txt_records)
        yield check_public_address(settings, _fetch_status)


def _check_database(settings: Settings) -> CheckResults:
    if not settings.database_url and not (settings.data_dir / "postgres").is_dir():
        yield error(
            f"No server can be seen from here: DATABASE_URL is not set, and there is no database in {settings.data_dir}.",
            "Run this with the environment of the server, or choose its folder with --data; `lodepost serve` creates one.",
        )
        return
    try:
        with open_database(settings) as url:
            yield from check_database(url, utc_now)
            yield from check_key_at(url, with_stored_keys(settings), utc_now())
    except EmbeddedError as problem:
        yield error(str(problem), "See postgres.log in the data folder.")


def _fetch_status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310 - http or https: BASE_URL was checked
            return int(answer.status)
    except urllib.error.HTTPError as answer:
        return answer.code
    except urllib.error.URLError as problem:
        raise OSError(getattr(problem.reason, "strerror", None) or problem.reason) from problem


def _text_of(result: CheckResult) -> str:
    line = f"{_STATUS_LABELS[result.status]}  {result.message}"
    return f"{line}\n         {result.remedy}" if result.remedy else line
