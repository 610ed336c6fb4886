"""`lodepost rotate-key`: replace the secret key that `lodepost serve` has generated."""

import argparse

from webapp.commands.database import add_data_option, settings_for
from webapp.kernel.config import Settings
from webapp.kernel.keys import forget_old_keys, replace_secret_key
from webapp.kernel.operator_errors import OperatorError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--forget-old",
        action="store_true",
        help="make no new key, but forget those that were replaced: what they signed stops working",
    )
    add_data_option(parser)
    parser.epilog = (
        "Takes effect when the server starts again. What the old key signed still counts until --forget-old. "
        "With SECRET_KEY set, change SECRET_KEY and OLD_SECRET_KEYS instead. Exit status: 0 done, 2 nothing was done."
    )


def run(arguments: argparse.Namespace) -> int:
    """Replace the key, or forget the old ones, and print which keys count."""
    settings = settings_for(arguments)
    _require_key_in_folder(settings)
    if arguments.forget_old:
        count = forget_old_keys(settings.data_dir)
        print(f"Old keys that no longer count from the next start on: {count}.")
        return 0
    keys = replace_secret_key(settings.data_dir)
    print(
        "There is a new secret key. Restart `lodepost serve` to use it. "
        f"Old keys that still count: {len(keys.old)}."
    )
    return 0


def _require_key_in_folder(settings: Settings) -> None:
    """Raise OperatorError if the key is not in the data folder."""
    if settings.database_url or settings.secret_key:
        raise OperatorError(
            "The secret key is set by SECRET_KEY. To replace it, add it to OLD_SECRET_KEYS, set SECRET_KEY to the output "
            "of  python3 -c 'import secrets; print(secrets.token_hex(32))'  and restart all processes."
        )
    if not (settings.data_dir / "postgres").is_dir():
        raise OperatorError(
            f"There is no database in {settings.data_dir}. Choose the folder with --data."
        )
