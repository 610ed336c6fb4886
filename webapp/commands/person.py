"""`lodepost person`: warn, ban or rename the owner of an email address, lift a ban, or sign people out everywhere."""

import argparse
import secrets
from collections.abc import Callable
from typing import Final

from webapp.accounts.sessions import sign_out_by_operator
from webapp.commands.database import add_data_option, command_transaction, settings_for
from webapp.commands.messages import error_sentence, refusal_text
from webapp.kernel.config import Settings
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import FieldErrors, NotAllowed, NotFound
from webapp.moderation.sanctions import SanctionRequest, ref_of_address, sanction_person
from webapp.wording.terminal import printable_line

_ACTIONS: Final = {
    "warn": "send a warning, which they also see on their home page",
    "ban": "keep them from signing in and playing for some days",
    "unban": "lift their ban",
    "rename": "change an offensive name",
}
_RESULT_TEXTS: Final[dict[str, Callable[[argparse.Namespace], str]]] = {
    "warn": lambda _: "is warned",
    "ban": lambda arguments: f"is banned for {arguments.days} days",
    "unban": lambda _: "is no longer banned",
    "rename": lambda arguments: f"is now called {printable_line(arguments.name)}",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, summary in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        action.add_argument("address", metavar="ADDRESS", help="the email address of the account")
        if name == "ban":
            action.add_argument("--days", metavar="N", type=int, required=True, help="1 to 365")
        if name == "rename":
            action.add_argument("--name", metavar="NAME", required=True, help="the new name")
        action.add_argument(
            "--reason",
            metavar="TEXT",
            required=True,
            help="why; they read it, and it is kept in the ledger",
        )
        add_data_option(action)
    _configure_sign_out(actions)
    parser.epilog = "Safe to run while people play. Exit status: 0 done, 2 nothing was done."


def run(arguments: argparse.Namespace) -> int:
    """Run one action and print what it did."""
    settings = settings_for(arguments)
    if arguments.action == "sign-out":
        print(_sign_out(settings, arguments))
    else:
        print(_apply_sanction(settings, arguments))
    return 0


def _configure_sign_out(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    summary = "end their sessions in all browsers, for instance after a device was stolen"
    action = actions.add_parser("sign-out", help=summary, description=summary)
    people = action.add_mutually_exclusive_group(required=True)
    people.add_argument(
        "address", metavar="ADDRESS", nargs="?", help="the email address of the account"
    )
    people.add_argument("--everyone", action="store_true", help="all people of the site")
    add_data_option(action)


def _sign_out(settings: Settings, arguments: argparse.Namespace) -> str:
    address = None if arguments.everyone else arguments.address
    try:
        with command_transaction(settings) as tx:
            count = sign_out_by_operator(tx, address)
    except NotFound as missing:
        raise _no_account(arguments) from missing
    name = "Everyone" if address is None else printable_line(address)
    return f"{name} is signed out: {count} sessions ended."


def _apply_sanction(settings: Settings, arguments: argparse.Namespace) -> str:
    sanction_request = SanctionRequest(
        kind=arguments.action,
        reason=arguments.reason,
        form_id=secrets.token_urlsafe(),
        days=getattr(arguments, "days", None),
        name=getattr(arguments, "name", ""),
    )
    try:
        with command_transaction(settings, needs_keys=True) as tx:
            ref = ref_of_address(tx, arguments.address)
            sanction_person(tx, None, ref, sanction_request)
    except FieldErrors as refusal:
        raise OperatorError(error_sentence(refusal.errors[0])) from refusal
    except NotAllowed as refusal:
        raise OperatorError(refusal_text(refusal)) from refusal
    except NotFound as missing:
        raise _no_account(arguments) from missing
    return f"{printable_line(arguments.address)} {_RESULT_TEXTS[arguments.action](arguments)}."


def _no_account(arguments: argparse.Namespace) -> OperatorError:
    address = printable_line(arguments.address)
    return OperatorError(f"There is no account with the address {address}.")
