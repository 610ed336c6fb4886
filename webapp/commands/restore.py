"""`lodepost restore`: fill an empty database from a backup, all or nothing."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Final

from webapp.commands.database import add_data_option, database_alone, settings_for
from webapp.commands.inconsistencies import told
from webapp.commands.refuse import refuse
from webapp.config import Settings
from webapp.keys import put_key
from webapp.services.operations.backups import (
    Away,
    Made,
    Manifest,
    Occupied,
    Unusable,
    bears_mark_of,
    checked_reader,
    require_free,
    restore,
)

_OTHER_KEY: Final = (
    "SECRET_KEY is not the one of the server that was backed up. Start with that one, or the links "
    "of invitations and of mails that were sent lead nowhere."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="a file that `lodepost backup` wrote"
    )
    add_data_option(parser)
    parser.epilog = (
        "The database must be empty, and nobody may be connected to it. Exit status: 0 restored, "
        "1 restored with what disagreed in the backup already, 2 nothing was changed."
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the file, fill the database, fold every log; 0: well, 1: as bad as the backup was, 2: nothing was changed."""
    settings = settings_for(arguments)
    try:
        made = _restore(settings, arguments.file)
    except OSError as problem:
        return refuse("restore", f"{problem.filename or arguments.file}: {problem.strerror}.")
    except (Away, Occupied, Unusable) as problem:
        return refuse("restore", str(problem))
    print(_words_of(settings, made))
    return 1 if made.inspected.disagreements else 0


def _restore(settings: Settings, file: Path) -> Made:
    with file.open("rb") as opened:
        reader = checked_reader(opened)
        with database_alone(settings) as url:
            require_free(url)
            _keep_key(settings, reader.manifest)
            return restore(url, reader)


def _keep_key(settings: Settings, manifest: Manifest) -> None:
    """Put the key beside the database before that is filled: without it, links in mails would lead nowhere."""
    if not settings.database_url and not settings.secret_key and manifest.secret_key:
        put_key(settings.data_dir / "secret-key", manifest.secret_key)


def _words_of(settings: Settings, made: Made) -> str:
    manifest = made.manifest
    restored = (
        f"Restored as of {manifest.taken_at:%Y-%m-%d %H:%M} UTC: games {made.inspected.games}, "
        f"turns {made.inspected.turns}, accounts {manifest.rows_of('account')}."
    )
    lines = [
        restored,
        *([] if _has_right_key(settings, manifest) else [_OTHER_KEY]),
        "Letters that were owed then will go out when the server starts.",
    ]
    if made.inspected.disagreements:
        lines += ["This disagreed in the backup already:", told(made.inspected.disagreements)]
    return "\n".join(lines)


def _has_right_key(settings: Settings, manifest: Manifest) -> bool:
    if settings.secret_key:
        return bears_mark_of(manifest, settings.secret_key)
    with suppress(OSError, UnicodeDecodeError):
        kept = (settings.data_dir / "secret-key").read_text(encoding="ascii").strip()
        return bears_mark_of(manifest, kept)
    return False
