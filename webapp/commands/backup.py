"""`lodepost backup`: write everything in the database to one file."""

import argparse
import hashlib
import os
from io import BufferedRandom
from pathlib import Path

from webapp.commands.database import (
    add_data_option,
    open_database,
    record_in_database,
    settings_for,
)
from webapp.commands.messages import inconsistency_list
from webapp.kernel.config import Settings
from webapp.kernel.keys import StoredKeys, with_stored_keys
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.resources import new_file
from webapp.kernel.system_time import utc_now
from webapp.operations.backup_and_restore import BackupResult, back_up, open_checked_backup
from webapp.wording.terminal import printable_line


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="the file to write; it must not exist yet"
    )
    add_data_option(parser)
    parser.epilog = (
        "Safe to run while people play. Exit status: 0 written, 1 written, but the database has "
        "inconsistencies (see `lodepost audit`), 2 nothing was written."
    )


def run(arguments: argparse.Namespace) -> int:
    """Write a backup, read it back, and only then give the file its name; return 1 if there are inconsistencies."""
    file: Path = arguments.file
    settings = settings_for(arguments)
    _require_new_file(file)
    with open_database(settings) as url, new_file(file) as stream:
        result = _write_backup(settings, url, stream)
        record_in_database(url, "backup")
        digest = _checked_digest(stream)
    print(_report_text(file, result, digest))
    return 1 if result.inspection.inconsistencies else 0


def _require_new_file(file: Path) -> None:
    if os.path.lexists(file):
        raise OperatorError(f"{file} already exists. Choose another file name.")
    if not file.parent.is_dir():
        raise OperatorError(
            f"The folder {file.parent} does not exist. Create it or choose another."
        )


def _write_backup(settings: Settings, url: str, stream: BufferedRandom) -> BackupResult:
    is_key_in_folder = not settings.database_url and not settings.secret_key
    with_keys = with_stored_keys(settings)
    keys = StoredKeys(with_keys.secret_key, with_keys.old_secret_keys)
    return back_up(url, stream, keys=keys, includes_keys=is_key_in_folder, now=utc_now())


def _checked_digest(stream: BufferedRandom) -> str:
    """Read the backup as a restore would, and return its SHA-256 digest."""
    stream.flush()
    open_checked_backup(stream)
    stream.seek(0)
    return hashlib.file_digest(stream, "sha256").hexdigest()


def _report_text(file: Path, result: BackupResult, digest: str) -> str:
    rows = result.manifest.row_count
    lines = [
        f"Wrote {printable_line(str(file))}: {rows('game')} games, {rows('turn')} turns, {rows('account')} accounts.",
        f"SHA-256: {digest}",
        _security_note(result),
    ]
    if result.inspection.inconsistencies:
        lines += ["The database, and so the backup, has these inconsistencies:"]
        lines += [inconsistency_list(result.inspection.inconsistencies)]
    return "\n".join(lines)


def _security_note(result: BackupResult) -> str:
    key = (
        "It also contains the secret key of this installation."
        if result.manifest.secret_key
        else "It does not contain SECRET_KEY: keep that too, in another place."
    )
    return (
        "Keep this file private (its mode is 0600): it contains every hand, role and unsent email. "
        f"{key}"
    )
