"""`lodepost restore`: fill an empty database from a backup, completely or not at all."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Final

from webapp.commands.command_record import record_in_database
from webapp.commands.database import add_data_option, open_database_exclusively, settings_for
from webapp.commands.messages import inconsistency_list
from webapp.config import Settings
from webapp.keys import replace_key
from webapp.services.operations.backup_and_restore import (
    BackupResult,
    open_checked_backup,
    require_restorable,
    restore,
    was_made_with_key,
)
from webapp.services.operations.backup_format import Manifest

_OTHER_KEY_WARNING: Final = (
    "Warning: SECRET_KEY is not the one of the server that was backed up. Start Lodepost with that key; "
    "otherwise links in invitations and emails that were sent will not work."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="a file written by `lodepost backup`"
    )
    add_data_option(parser)
    parser.epilog = (
        "The database must be empty and unused. Exit status: 0 restored, 1 restored, but the backup "
        "has inconsistencies, 2 nothing was changed."
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the file, fill the database and check every game; return 1 if the backup has inconsistencies."""
    settings = settings_for(arguments)
    result = _restore_backup(settings, arguments.file)
    print(_report_text(settings, result))
    return 1 if result.inspection.inconsistencies else 0


def _restore_backup(settings: Settings, file: Path) -> BackupResult:
    with file.open("rb") as stream:
        reader = open_checked_backup(stream)
        with open_database_exclusively(settings) as url:
            require_restorable(url)
            _store_key(settings, reader.manifest)
            result = restore(url, reader)
            record_in_database(url, "restore")
            return result


def _store_key(settings: Settings, manifest: Manifest) -> None:
    """Store the backed-up key before the database is filled: without the key, links in emails would not work."""
    if not settings.database_url and not settings.secret_key and manifest.secret_key:
        replace_key(settings.data_dir / "secret-key", manifest.secret_key)


def _report_text(settings: Settings, result: BackupResult) -> str:
    manifest = result.manifest
    restored_text = (
        f"Restored the backup of {manifest.taken_at:%Y-%m-%d %H:%M} UTC: {result.inspection.games} games, "
        f"{result.inspection.turns} turns, {manifest.row_count('account')} accounts."
    )
    lines = [
        restored_text,
        *([] if _has_right_key(settings, manifest) else [_OTHER_KEY_WARNING]),
        "Emails that were unsent at that time will be sent when the server starts.",
    ]
    if result.inspection.inconsistencies:
        lines += ["The backup already had these inconsistencies:"]
        lines += [inconsistency_list(result.inspection.inconsistencies)]
    return "\n".join(lines)


def _has_right_key(settings: Settings, manifest: Manifest) -> bool:
    if settings.secret_key:
        return was_made_with_key(manifest, settings.secret_key)
    with suppress(OSError, UnicodeDecodeError):
        stored_key = (settings.data_dir / "secret-key").read_text(encoding="ascii").strip()
        return was_made_with_key(manifest, stored_key)
    return False
