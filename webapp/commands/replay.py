"""`lodepost replay`: print a recorded game as one seat, or an observer, saw it."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.record import Record
from engine.replaying import Frame, ReplayError, frames
from engine.text_drawing import ASCII_STYLE, BOX_STYLE, Style, draw_mine
from engine.view import View
from webapp.commands.game_file import read_game_file
from webapp.kernel.i18n import Language, language_for
from webapp.kernel.operator_errors import InvalidGameFile, OperatorError
from webapp.wording.cards import card_name
from webapp.wording.history import narrate_line
from webapp.wording.perspective import Perspective, joined_words
from webapp.wording.results import game_sentence
from webapp.wording.terminal import printable_line
from webapp.wording.turns import awaiting_sentence, role_reminder


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a .game file")
    point_of_view = parser.add_mutually_exclusive_group()
    point_of_view.add_argument(
        "--seat",
        metavar="N",
        type=_parse_positive_number,
        help="show what this seat saw; the first seat is 1",
    )
    point_of_view.add_argument(
        "--open", action="store_true", help="show every secret; only for finished games"
    )
    parser.add_argument(
        "--until",
        metavar="SEQ",
        type=_parse_positive_number,
        help="stop after this turn; the first deal is turn 0",
    )
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")


def run(arguments: argparse.Namespace) -> int:
    """Print the game turn by turn, and the position at the end."""
    language = language_for(None)
    record = read_game_file(arguments.file, language)
    _print_text(_replay_text(record, arguments, language))
    return 0


def _parse_positive_number(argument: str) -> int:
    if not (argument.isascii() and argument.isdigit()):
        raise argparse.ArgumentTypeError(f"expected a number, not {argument!r}")
    return int(argument)


def _replay_text(record: Record, arguments: argparse.Namespace, language: Language) -> str:
    seat = _seat_from_arguments(record, arguments, language)
    turns = _visible_turns(record, seat, arguments, language)
    names = tuple(printable_line(seat.name) for seat in record.table.seats)
    perspective = Perspective(language=language, names=names, me=seat)
    style = ASCII_STYLE if arguments.ascii else BOX_STYLE
    return "\n".join(
        [*_turn_lines(turns, perspective, style), *_position_lines(turns[-1].view, perspective)]
    )


def _seat_from_arguments(
    record: Record, arguments: argparse.Namespace, language: Language
) -> int | None:
    if arguments.seat is None:
        return None
    seat_count = len(record.table.seats)
    if not 1 <= arguments.seat <= seat_count:
        raise OperatorError(
            language.gettext("This game has seats 1 to %(seats)s.", seats=seat_count)
        )
    return int(arguments.seat) - 1


def _visible_turns(
    record: Record, seat: int | None, arguments: argparse.Namespace, language: Language
) -> list[Frame]:
    try:
        turns = list(frames(record, seat, reveal_all=arguments.open))
    except ReplayError as error:
        raise InvalidGameFile(
            language.gettext(
                "Turn %(seq)s of this file is impossible at that point of the game.", seq=error.seq
            )
        ) from None
    if arguments.open and not turns[-1].view.winners:
        raise OperatorError(
            language.gettext("This game is not finished: leave out --open, or choose a --seat.")
        )
    if arguments.until is not None and arguments.until >= len(turns):
        raise OperatorError(
            language.gettext("This game has turns 0 to %(last)s.", last=len(turns) - 1)
        )
    return turns if arguments.until is None else turns[: arguments.until + 1]


def _turn_lines(turns: list[Frame], perspective: Perspective, style: Style) -> Iterator[str]:
    """Yield the text of every turn, and the mine after every change."""
    shown_mine = None
    for turn in turns:
        yield f"{turn.seq}. " + " ".join(narrate_line(line, perspective) for line in turn.lines)
        if turn.view.mine != shown_mine:
            shown_mine = turn.view.mine
            yield f"\n{draw_mine(turn.view, style=style)}\n"


def _position_lines(view: View, perspective: Perspective) -> Iterator[str]:
    """Yield the lines about the final position."""
    yield ""
    language = perspective.language
    if view.winners:
        yield game_sentence(view, perspective)
        return
    if view.seat is not None:
        yield role_reminder(view, perspective)
        yield _hand_line(view, language)
    yield awaiting_sentence(view, perspective)


def _hand_line(view: View, language: Language) -> str:
    if not view.hand:
        return language.gettext("Your hand is empty.")
    card_names = joined_words(tuple(card_name(card, language) for card in view.hand), language)
    return language.gettext("Your hand: %(cards)s.", cards=card_names)


def _print_text(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # The reader (`head`, for example) has closed the pipe; without this Python would report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
