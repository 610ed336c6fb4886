"""`lodepost replay`: print a recorded game as one seat, or anybody, saw it."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.drawing import ASCII, BOXES, Style, draw
from engine.record import Record
from engine.replaying import Frame, ReplayError, frames
from engine.view import View
from webapp.commands.game_file import Unusable, record_in
from webapp.commands.refuse import refuse
from webapp.i18n import Language, language_for
from webapp.wording.cards import card_name
from webapp.wording.history import sentence
from webapp.wording.people import awaiting_sentence, game_sentence, role_reminder
from webapp.wording.perspective import Perspective, list_of
from webapp.wording.terminal import shown


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a .game file")
    told = parser.add_mutually_exclusive_group()
    told.add_argument(
        "--seat", metavar="N", type=_number, help="as this seat saw it; the first is 1"
    )
    told.add_argument(
        "--open", action="store_true", help="with every secret, once the game has ended"
    )
    parser.add_argument(
        "--until", metavar="SEQ", type=_number, help="up to this turn; the first deal is 0"
    )
    parser.add_argument("--ascii", action="store_true", help="draw with plain signs only")


def run(arguments: argparse.Namespace) -> int:
    """Print the game; 2: it cannot be read, followed or told so."""
    language = language_for(None)
    try:
        record = record_in(arguments.file, language)
        told = _told(record, arguments, language)
    except Unusable as problem:
        return refuse("replay", str(problem))
    return _print(told)


def _number(given: str) -> int:
    if not (given.isascii() and given.isdigit()):
        raise argparse.ArgumentTypeError(f"a number is wanted, not {given!r}")
    return int(given)


def _told(record: Record, arguments: argparse.Namespace, language: Language) -> str:
    seat = _seat(record, arguments, language)
    shots = _frames(record, seat, arguments, language)
    names = tuple(shown(sitting.name) for sitting in record.table.seats)
    perspective = Perspective(language=language, names=names, me=seat)
    style = ASCII if arguments.ascii else BOXES
    return "\n".join([*_turns(shots, perspective, style), *_position(shots[-1].view, perspective)])


def _seat(record: Record, arguments: argparse.Namespace, language: Language) -> int | None:
    if arguments.seat is None:
        return None
    seats = len(record.table.seats)
    if not 1 <= arguments.seat <= seats:
        raise Unusable(language.gettext("This game has the seats 1 to %(seats)s.", seats=seats))
    return int(arguments.seat) - 1


def _frames(
    record: Record, seat: int | None, arguments: argparse.Namespace, language: Language
) -> list[Frame]:
    try:
        shots = list(frames(record, seat, opened=arguments.open))
    except ReplayError as lost:
        raise Unusable(
            language.gettext(
                "What the file says of turn %(seq)s cannot have happened there.", seq=lost.seq
            )
        ) from None
    if arguments.open and not shots[-1].view.winners:
        raise Unusable(
            language.gettext("This game has not ended: leave out --open, or name a --seat.")
        )
    if arguments.until is not None and arguments.until >= len(shots):
        raise Unusable(
            language.gettext("This game has the turns 0 to %(last)s.", last=len(shots) - 1)
        )
    return shots if arguments.until is None else shots[: arguments.until + 1]


def _turns(shots: list[Frame], perspective: Perspective, style: Style) -> Iterator[str]:
    """Every turn in words, and the mine wherever it changed."""
    mine = None
    for shot in shots:
        yield f"{shot.seq}. " + " ".join(sentence(line, perspective) for line in shot.lines)
        if shot.view.mine != mine:
            mine = shot.view.mine
            yield f"\n{draw(shot.view, style=style)}\n"


def _position(view: View, perspective: Perspective) -> Iterator[str]:
    """What can be said of the position at the end."""
    yield ""
    language = perspective.language
    if view.winners:
        yield game_sentence(view, perspective)
        return
    if view.seat is not None:
        yield role_reminder(view, perspective)
        yield _hand(view, language)
    yield awaiting_sentence(view.awaiting, perspective)


def _hand(view: View, language: Language) -> str:
    if not view.hand:
        return language.gettext("Your hand is empty.")
    cards = list_of(tuple(card_name(card, language) for card in view.hand), language)
    return language.gettext("Your hand: %(cards)s.", cards=cards)


def _print(text: str) -> int:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Whoever read along has seen enough; the interpreter must not complain about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
