"""`lodepost show`: print a turn as it is stored, with every secret."""

import argparse
from typing import NamedTuple

from webapp.accounts.security_log import record_command
from webapp.commands.database import add_data_option, open_database, settings_for
from webapp.commands.game_acts import add_slug
from webapp.commands.messages import refusal_text
from webapp.kernel.game_status import GameStatus
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import FieldErrors, NotFound
from webapp.kernel.rights import GameRight
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, Tx, transaction
from webapp.moderation.peeks import record_operator_peek
from webapp.moderation.performing import find_game_to_act_on
from webapp.operations.stored_turn import turn_lines
from webapp.wording.terminal import printable_line


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_slug(parser)
    parser.add_argument(
        "--seq", metavar="N", type=int, help="this turn instead of the latest; the first deal is 0"
    )
    parser.add_argument(
        "--reason",
        metavar="TEXT",
        help="why you look at the secrets of a game that is not finished; its players read it afterwards",
    )
    add_data_option(parser)
    parser.epilog = (
        "Prints roles, hands and goals. Looking at a game that is not finished is recorded first, as a moderator's look is, "
        "and shown to its players when it is over. Exit status: 0 shown, 2 nothing was shown."
    )


class _RecordedLook(NamedTuple):
    """What may be shown once its record is committed: a game up to a turn."""

    game_id: int
    last_seq: int


def run(arguments: argparse.Namespace) -> int:
    """Record that the operator looks, then print the turn."""
    with open_database(settings_for(arguments)) as url, Database(url, pool_size=1) as database:
        try:
            with transaction(database, utc_now()) as tx:
                look = _record_look(tx, arguments)
            with transaction(database, utc_now()) as tx:
                lines = list(turn_lines(tx, look.game_id, _chosen_seq(look, arguments)))
        except NotFound as missing:
            raise OperatorError(f"There is no such turn of a game {arguments.slug}.") from missing
        except FieldErrors as refusal:
            raise OperatorError(refusal_text(refusal)) from refusal
    print("\n".join(map(printable_line, lines)))
    return 0


def _record_look(tx: Tx, arguments: argparse.Namespace) -> _RecordedLook:
    game = find_game_to_act_on(tx, None, arguments.slug, GameRight.PEEK)
    look = _RecordedLook(game.id, game.seq)
    if _chosen_seq(look, arguments) not in range(game.seq + 1):
        raise NotFound
    if game.status is GameStatus.FINISHED:
        record_command(tx, "show", subjects={"game": game.id})
        return look
    if arguments.reason is None:
        raise OperatorError(
            "This game is not finished: say with --reason why you look at its secrets. Its players read that when it is over."
        )
    record_operator_peek(tx, game, arguments.reason)
    return look


def _chosen_seq(look: _RecordedLook, arguments: argparse.Namespace) -> int:
    return look.last_seq if arguments.seq is None else int(arguments.seq)
