"""`lodepost moderator`: make the owner of an email address a moderator of the whole site, or list the moderators."""

import argparse

from webapp.accounts.security_log import record_command
from webapp.commands.database import add_data_option, open_database, settings_for
from webapp.kernel.i18n import DEFAULT_LANGUAGE, language_for
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import FieldErrors, NotFound
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, Tx, transaction
from webapp.moderation.moderators import add_moderator, remove_moderator, site_moderators
from webapp.wording.error_messages import field_sentence
from webapp.wording.terminal import printable_line


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command: add, remove and list."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, summary in (
        ("add", "make someone a site moderator; creates the account if the address has none"),
        ("remove", "take the rights of a site moderator away"),
    ):
        action = actions.add_parser(name, help=summary, description=summary)
        action.add_argument("address", metavar="ADDRESS", help="the email address of the account")
        action.add_argument(
            "--reason", metavar="TEXT", required=True, help="why; it is kept in the ledger"
        )
        add_data_option(action)
    add_data_option(actions.add_parser("list", help="list the site moderators"))
    parser.epilog = (
        "Safe to run while people play. Site moderators find the dashboard at /moderation after "
        "signing in. Exit status: 0 done, or already so, 2 nothing was done."
    )


def run(arguments: argparse.Namespace) -> int:
    """Run one action and print what it did."""
    with open_database(settings_for(arguments)) as url:
        database = Database(url, pool_size=1)
        try:
            with transaction(database, utc_now()) as tx:
                printed_text = _run_action(tx, arguments)
        finally:
            database.dispose()
    print(printed_text)
    return 0


def _run_action(tx: Tx, arguments: argparse.Namespace) -> str:
    try:
        if arguments.action == "list":
            return _list_moderators(tx)
        return _change_moderator(tx, arguments)
    except FieldErrors as refusal:
        raise OperatorError(_error_sentences(refusal)) from refusal
    except NotFound as missing:
        raise OperatorError(
            f"There is no account with the address {arguments.address}."
        ) from missing


def _error_sentences(field_errors: FieldErrors) -> str:
    english = language_for(DEFAULT_LANGUAGE)
    return "\n".join(
        f"{error.field.capitalize()}: {field_sentence(error, english)}"
        for error in field_errors.errors
    )


def _change_moderator(tx: Tx, arguments: argparse.Namespace) -> str:
    address, reason = arguments.address, arguments.reason
    if arguments.action == "add":
        is_new = add_moderator(tx, address, reason=reason)
        return (
            f"{printable_line(address)} {'is now' if is_new else 'already was'} a site moderator."
        )
    was_moderator = remove_moderator(tx, address, reason=reason)
    return f"{printable_line(address)} {'is no longer' if was_moderator else 'was not'} a site moderator."


def _list_moderators(tx: Tx) -> str:
    moderators = site_moderators(tx)
    record_command(tx, "moderator list")
    if not moderators:
        return "There are no site moderators yet: add one with `lodepost moderator add ADDRESS --reason TEXT`."
    return "\n".join(
        f"{printable_line(moderator.address)}  {printable_line(moderator.name)}".rstrip()
        for moderator in moderators
    )
