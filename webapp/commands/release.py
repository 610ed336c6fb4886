"""`lodepost release`: open a restored copy, and let it send emails."""

import argparse
from datetime import timedelta

from webapp.commands.database import add_data_option, open_database, settings_for
from webapp.commands.messages import error_sentence, parse_age
from webapp.kernel.config import Settings
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, transaction
from webapp.moderation.copy_release import release, shift_earlier_clocks


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--reason", metavar="TEXT", required=True, help="why; it is kept in the ledger"
    )
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument(
        "--send-all", action="store_true", help="send all waiting emails that still apply"
    )
    choice.add_argument(
        "--drop-older-than",
        metavar="AGE",
        type=parse_age,
        help="never send emails that have waited for longer than 30m, 12h or 7d; 0h drops all",
    )
    add_data_option(parser)
    parser.epilog = (
        "Only when the original server will never run again: otherwise players get emails from both. All deadlines "
        "move by the time since they were last watched before the backup, and everyone whose turn it is gets an "
        "email with the new one. Exit status: 0 released, 2 nothing was done."
    )


def run(arguments: argparse.Namespace) -> int:
    """Release the copy and print what becomes of its emails."""
    settings = settings_for(arguments)
    with open_database(settings) as url, Database(url, pool_size=1) as database:
        dropped_count = _release(database, settings, arguments.reason, arguments.drop_older_than)
    print(
        f"Released. Emails that are never sent: {dropped_count}. Workers move all deadlines and send the other emails next."
    )
    return 0


def _release(
    database: Database, settings: Settings, reason: str, drop_older_than: timedelta | None
) -> int:
    has_clocks_to_shift = True
    while has_clocks_to_shift:
        with transaction(database, utc_now()) as tx:
            has_clocks_to_shift = shift_earlier_clocks(tx)
    try:
        with transaction(database, utc_now()) as tx:
            return release(
                tx,
                reason=reason,
                drop_older_than=drop_older_than,
                defaults=settings.site_defaults,
            )
    except FieldErrors as refusal:
        raise OperatorError(error_sentence(refusal.errors[0])) from refusal
