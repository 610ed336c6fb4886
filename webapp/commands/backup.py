"""`lodepost backup`: one file with everything that the database holds at one instant."""

import argparse
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path

from webapp.clock import utc_now
from webapp.commands.database import add_data_option, database_of, settings_for
from webapp.commands.inconsistencies import told
from webapp.commands.refuse import refuse
from webapp.config import Settings
from webapp.keys import secret_key_in
from webapp.services.operations.backups import (
    Away,
    Made,
    NotThisSchema,
    Unusable,
    back_up,
    checked_reader,
)
from webapp.wording.terminal import shown


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="the file to write; it must not exist"
    )
    add_data_option(parser)
    parser.epilog = (
        "Players may go on meanwhile. Exit status: 0 written, 1 written, but something in the database "
        "disagrees with itself (see `lodepost audit`), 2 nothing was written."
    )


def run(arguments: argparse.Namespace) -> int:
    """Write, read back, and only then give the file its name; 0: well, 1: something disagrees, 2: nothing was written."""
    file: Path = arguments.file
    settings = settings_for(arguments)
    try:
        _require_new(file)
        with database_of(settings) as url, _draft_of(file) as draft:
            made = _write(settings, url, draft)
            digest = _read_back(draft)
    except OSError as problem:
        return refuse(
            "backup", f"{problem.filename or file}: {problem.strerror}. Nothing was written."
        )
    except (Away, NotThisSchema, Unusable) as problem:
        return refuse("backup", str(problem))
    print(_words_of(file, made, digest))
    return 1 if made.inspected.disagreements else 0


def _require_new(file: Path) -> None:
    if os.path.lexists(file):
        raise Unusable(f"{file} exists already, and is left as it is. Name another file.")
    if not file.parent.is_dir():
        raise Unusable(f"There is no folder {file.parent}. Make it, or name another.")


@contextmanager
def _draft_of(file: Path) -> Iterator[BufferedRandom]:
    """A file beside the one that is wanted, which takes its name at a clean end and is gone after any other."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as opened:
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
        _require_new(file)
        draft.rename(file)
        _make_durable(file.parent)
    finally:
        draft.unlink(missing_ok=True)


def _write(settings: Settings, url: str, draft: BufferedRandom) -> Made:
    kept_here = not settings.database_url and not settings.secret_key
    key = secret_key_in(settings.data_dir) if kept_here else settings.secret_key
    return back_up(url, draft, key=key, carries_key=kept_here, now=utc_now())


def _read_back(draft: BufferedRandom) -> str:
    """Read what was written as a restore would; its digest."""
    draft.flush()
    checked_reader(draft)
    draft.seek(0)
    return hashlib.file_digest(draft, "sha256").hexdigest()


def _make_durable(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _words_of(file: Path, made: Made, digest: str) -> str:
    rows = made.manifest.rows_of
    lines = [
        f"{shown(str(file))}: games {rows('game')}, turns {rows('turn')}, accounts {rows('account')}.",
        f"SHA-256: {digest}",
        _about_secrets(made),
    ]
    if made.inspected.disagreements:
        lines += ["This does not agree in the database, nor in the backup:"]
        lines += [told(made.inspected.disagreements)]
    return "\n".join(lines)


def _about_secrets(made: Made) -> str:
    key = (
        "The key of this installation is in it too."
        if made.manifest.secret_key
        else "SECRET_KEY is not in it: keep that as well, somewhere else."
    )
    return (
        "Every hand, role and mail that is still to go out can be read from this file; "
        f"only its owner may open it (0600), and it should stay so. {key}"
    )
