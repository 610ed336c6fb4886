"""`lodepost emails`: list the emails of the outbox, show one, or send again what was not delivered."""

import argparse
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from webapp.accounts.security_log import record_command
from webapp.commands.database import add_data_option, command_transaction, settings_for
from webapp.commands.messages import parse_age
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import NotFound
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Tx
from webapp.mail.outbox.queued_emails import (
    MAX_LISTED,
    find_email,
    newest_emails,
    select_emails,
    try_again,
)
from webapp.mail.preparation import address_of
from webapp.wording.terminal import printable_line

_MAX_ID: Final = 2**63 - 1
_MAX_RECORDED_IDS: Final = 20
_STATUS_NAMES: Final = {
    "pending": "waiting",
    "sent": "sent",
    "dropped": "not sent",
    "failed": "dead",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    summary = f"list the newest emails, at most {MAX_LISTED}, without their contents"
    listing = actions.add_parser("list", help=summary, description=summary)
    summary = "show what became of one email, without its contents"
    showing = actions.add_parser("show", help=summary, description=summary)
    summary = "send emails again that were given up, and try those now that wait after a failure"
    resending = actions.add_parser("resend", help=summary, description=summary)
    showing.add_argument("ids", metavar="ID", type=_parse_id, nargs=1)
    resending.add_argument("ids", metavar="ID", type=_parse_id, nargs="*")
    for action in (listing, resending):
        action.add_argument("--game", metavar="SLUG", help="only those about this game")
        action.add_argument(
            "--since", metavar="AGE", type=parse_age, help="only the last 30m, 12h or 7d"
        )
        action.add_argument("--dead", action="store_true", help="only those that were given up")
    for action in (listing, showing, resending):
        add_data_option(action)
    parser.epilog = "Safe to run while people play. Exit status: 0 done, 2 nothing was done."


def run(arguments: argparse.Namespace) -> int:
    """Run one action and print its result."""
    run_action = {"list": _list, "show": _show, "resend": _resend}[arguments.action]
    # Only an address in an email that is shown may need the keys.
    needs_keys = arguments.action == "show"
    try:
        with command_transaction(settings_for(arguments), needs_keys=needs_keys) as tx:
            lines = list(run_action(tx, arguments))
    except NotFound as missing:
        raise OperatorError("There is no such email or game.") from missing
    print("\n".join(map(printable_line, lines)))
    return 0


def _list(tx: Tx, arguments: argparse.Namespace) -> Iterator[str]:
    emails = newest_emails(tx, select_emails(**_filters(arguments)))
    yield (
        f"Emails: {len(emails)}" if len(emails) < MAX_LISTED else f"The newest {MAX_LISTED} emails"
    )
    for email in emails:
        about = f" game {email.game_slug}" if email.game_slug else ""
        status, reason = _STATUS_NAMES[email.status], f": {email.reason}" if email.reason else ""
        yield f"{email.id:>8}  {_time(email.first_due_at)}  {status:8}  {email.kind}{about}{reason}"


def _show(tx: Tx, arguments: argparse.Namespace) -> Iterator[str]:
    email = find_email(tx, arguments.ids[0])
    address = address_of(tx, email.id)
    record_command(tx, "emails show", subjects={"email": email.id})
    fields = {
        "email": str(email.id),
        "kind": email.kind,
        "game": email.game_slug,
        "to": " ".join(filter(None, (email.recipient_name, f"<{address}>" if address else ""))),
        "status": _STATUS_NAMES[email.status],
        "due since": _time(email.first_due_at),
        "attempts": str(email.attempts),
        "last failure": _time(email.attempted_at),
        "next attempt": _time(email.due_at) if email.status == "pending" else None,
        "settled": _time(email.settled_at),
        "cause": email.delay_cause,
        "answer": email.reason,
        "request": email.request_id,
    }
    yield from (f"{name:14}{value}" for name, value in fields.items() if value)


def _resend(tx: Tx, arguments: argparse.Namespace) -> Iterator[str]:
    filters = _filters(arguments)
    if not (arguments.ids or any(filters.values())):
        raise OperatorError(
            "Name emails by their ids, or choose some with --game, --since or --dead."
        )
    ids = try_again(tx, select_emails(arguments.ids, **filters))
    if not ids:
        raise OperatorError("None of these emails was given up or waits after a failure.")
    subjects = {"emails": list(ids[:_MAX_RECORDED_IDS]), "count": len(ids)}
    record_command(tx, "emails resend", subjects=subjects)
    yield f"Emails that are sent again by the next worker: {len(ids)}."


def _filters(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "game_slug": arguments.game,
        "since": None if arguments.since is None else utc_now() - arguments.since,
        "is_dead_only": arguments.dead,
    }


def _time(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S} UTC"


def _parse_id(argument: str) -> int:
    if not (argument.isascii() and argument.isdigit() and int(argument) <= _MAX_ID):
        raise argparse.ArgumentTypeError(f"expected the number of an email, not {argument!r}")
    return int(argument)
