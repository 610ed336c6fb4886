"""`lodepost settings`: show the settings that site moderators can change, or change one of them."""

import argparse
import os
import secrets

from webapp.commands.database import add_data_option, command_transaction, settings_for
from webapp.commands.messages import error_sentence
from webapp.kernel.config import Settings
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import FieldErrors
from webapp.kernel.site_settings import SETTING_NAMES, setting_text
from webapp.kernel.tx import Tx
from webapp.moderation.settings_change import SettingsChange, change_settings
from webapp.site.current_settings import read_settings
from webapp.wording.terminal import printable_lines


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command: list and set."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_data_option(actions.add_parser("list", help="print every setting and its value"))
    change = actions.add_parser("set", help="change one setting")
    change.add_argument("name", metavar="NAME", choices=SETTING_NAMES, help="as `list` prints it")
    change.add_argument("value", metavar="VALUE", help="the new value; empty text where allowed")
    change.add_argument(
        "--reason", metavar="TEXT", required=True, help="why; it is kept in the ledger"
    )
    add_data_option(change)
    parser.epilog = (
        "Safe to run while people play: running processes follow within seconds. Exit status: "
        "0 done, or already so, 2 nothing was done."
    )


def run(arguments: argparse.Namespace) -> int:
    """Run one action and print what it did."""
    settings = settings_for(arguments)
    with command_transaction(settings) as tx:
        printed_text = _result_text(tx, settings, arguments)
    print(printed_text)
    return 0


def _result_text(tx: Tx, settings: Settings, arguments: argparse.Namespace) -> str:
    if arguments.action == "list":
        return _settings_list(tx, settings)
    change = SettingsChange(
        values={arguments.name: arguments.value},
        reason=arguments.reason,
        form_id=secrets.token_urlsafe(),
    )
    try:
        changed_settings = change_settings(tx, None, change, defaults=settings.site_defaults)
    except FieldErrors as refusal:
        sentences = [f"{error.field}: {error_sentence(error)}" for error in refusal.errors]
        raise OperatorError(os.linesep.join(sentences)) from refusal
    return f"{arguments.name} {'was changed' if changed_settings else 'already had this value'}."


def _settings_list(tx: Tx, settings: Settings) -> str:
    current_settings = read_settings(tx, settings.site_defaults)
    lines = []
    for name in SETTING_NAMES:
        text = printable_lines(setting_text(current_settings, name)).replace("\n", "\n    ")
        lines.append(f"{name}: {text}".rstrip())
    return "\n".join(lines)
