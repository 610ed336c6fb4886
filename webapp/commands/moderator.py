"""`lodepost moderator`: make the owner of an email address a moderator of the whole site, or list the moderators."""

import argparse

from webapp.accounts.security_log import record_command
from webapp.commands.database import add_data_option, command_transaction, settings_for
from webapp.commands.messages import refusal_text
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import FieldErrors, NotFound
from webapp.kernel.tx import Tx
from webapp.moderation.moderators import add_moderator, remove_moderator, site_moderators
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
    with command_transaction(settings_for(arguments)) as tx:
        printed_text = _run_action(tx, arguments)
    print(printed_text)
    return 0


def _run_action(tx: Tx, arguments: argparse.Namespace) -> str:
    try:
        if arguments.action == "list":
            return _list_moderators(tx)
        return _change_moderator(tx, arguments)
    except FieldErrors as refusal:
        raise OperatorError(refusal_text(refusal)) from refusal
    except NotFound as missing:
        raise OperatorError(
            f"There is no account with the address {arguments.address}."
        ) from missing


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
