"""`lodepost restore`: fill an empty database from a backup, completely or not at all."""

import argparse
from pathlib import Path
from typing import Final

from webapp.commands.database import (
    add_data_option,
    open_database_exclusively,
    record_in_database,
    settings_for,
)
from webapp.commands.messages import inconsistency_list
from webapp.kernel.config import Settings
from webapp.kernel.keys import stage_keys, with_stored_keys
from webapp.kernel.system_time import utc_now
from webapp.operations.backup_and_restore import (
    BackupResult,
    finish_interrupted_restore,
    keys_in,
    open_checked_backup,
    require_restorable,
    restore,
    was_made_with_one_of,
    was_restored_from,
)
from webapp.operations.backup_format import BackupReader, Manifest

_OTHER_KEY_WARNING: Final = (
    "Warning: SECRET_KEY is not the one of the server that was backed up. Start Lodepost with that key; "
    "otherwise everyone is signed out, and links in emails that are sent now will not work."
)
_HELD_NOTE: Final = "The site is in maintenance, no email is sent, and no deadline runs out, until you run `lodepost release`."
_RELEASED_NOTE: Final = "Emails that were unsent at that time will be sent when the server starts."
_FINISHED_NOTE: Final = (
    "This backup was restored before, by a command that was interrupted at its end. Its secret key is in place now; "
    "everything else was done already."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="a file written by `lodepost backup`"
    )
    parser.add_argument(
        "--release",
        action="store_true",
        help="open the site and send emails as soon as the server starts; only if the original will never run again",
    )
    add_data_option(parser)
    parser.epilog = (
        "The database must be empty and unused. The copy sends no email until `lodepost release`. Exit status: 0 "
        "restored, 1 restored, but the backup has inconsistencies, 2 nothing was changed."
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the file, fill the database and check every game; return 1 if the backup has inconsistencies."""
    settings = settings_for(arguments)
    with arguments.file.open("rb") as stream:
        reader = open_checked_backup(stream)
        with open_database_exclusively(settings) as url:
            if _finish_interrupted(settings, url, reader.manifest):
                print(_FINISHED_NOTE)
                return 0
            require_restorable(url)
            result = _restore_backup(settings, url, reader, is_held=not arguments.release)
            record_in_database(url, "restore")
    print(_report_text(settings, result))
    return 1 if result.inspection.inconsistencies else 0


def _finish_interrupted(settings: Settings, url: str, manifest: Manifest) -> bool:
    """Return whether this backup was restored already, and only its key was not in place yet."""
    return _put_keys_into_place(settings, url) and was_restored_from(url, manifest)


def _restore_backup(
    settings: Settings, url: str, reader: BackupReader, *, is_held: bool
) -> BackupResult:
    """Fill the database. The key gets into place after the COMMIT, and at the next start if this process dies before."""
    keys = keys_in(reader.manifest)
    if keys is not None and _is_key_in_folder(settings):
        stage_keys(settings.data_dir, keys)
    try:
        return restore(url, reader, is_held=is_held, now=utc_now())
    finally:
        _put_keys_into_place(settings, url)


def _put_keys_into_place(settings: Settings, url: str) -> bool:
    """Use the staged keys if the database expects them, and drop them otherwise; return whether they are used now."""
    return not settings.database_url and finish_interrupted_restore(url, settings.data_dir)


def _is_key_in_folder(settings: Settings) -> bool:
    return not settings.database_url and not settings.secret_key


def _report_text(settings: Settings, result: BackupResult) -> str:
    manifest = result.manifest
    restored_text = (
        f"Restored the backup of {manifest.taken_at:%Y-%m-%d %H:%M} UTC: {result.inspection.games} games, "
        f"{result.inspection.turns} turns, {manifest.row_count('account')} accounts."
    )
    lines = [
        restored_text,
        *([] if _has_right_key(settings, manifest) else [_OTHER_KEY_WARNING]),
        _HELD_NOTE if result.is_held else _RELEASED_NOTE,
    ]
    if result.inspection.inconsistencies:
        lines += ["The backup already had these inconsistencies:"]
        lines += [inconsistency_list(result.inspection.inconsistencies)]
    return "\n".join(lines)


def _has_right_key(settings: Settings, manifest: Manifest) -> bool:
    settings = with_stored_keys(settings)
    return was_made_with_one_of(manifest, (settings.secret_key, *settings.old_secret_keys))
