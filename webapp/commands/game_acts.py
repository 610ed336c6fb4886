"""Perform a moderator's act from the command line, as the operator: what `lodepost game` and `lodepost seat` share."""

import argparse
import secrets
from collections.abc import Callable
from datetime import UTC
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.errors import IllegalAction
from webapp.clock import utc_now
from webapp.commands.database import add_data_option, open_database, settings_for
from webapp.i18n import DEFAULT_LANGUAGE, language_for
from webapp.operator_errors import OperatorError
from webapp.rights import GameRight
from webapp.services.errors import FieldErrors, NotAllowed, NotFound, StaleTurn
from webapp.services.moderation.acts import (
    ActPreview,
    ActRequest,
    Position,
    find_game_to_act_on,
    perform_act_request,
    preview,
    preview_undoing,
)
from webapp.services.play.public_change import ChangeInput
from webapp.services.tx import Database, Tx, transaction
from webapp.web.error_messages import field_sentence, refused_sentence
from webapp.wording.acts import ActFacts, ActLocale, act_sentence
from webapp.wording.terminal import printable_line

EPILOG = (
    "Safe to run while people play. Everyone at the table is informed, and the reason is kept in the ledger. "
    "Exit status: 0 done, 2 nothing was done."
)


def add_act_options(parser: argparse.ArgumentParser) -> None:
    """Add what every act needs: its reason, a trial run, and where the game must still stand."""
    parser.add_argument(
        "--reason", metavar="TEXT", required=True, help="why; everyone at the table can read it"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would happen, and change nothing"
    )
    parser.add_argument(
        "--turn-is",
        metavar="N",
        type=int,
        help="do nothing unless turn N is the latest one of the game",
    )
    add_data_option(parser)
    parser.epilog = EPILOG


class ChosenAct(NamedTuple):
    """What the operator asks for: an act with what it needs, or the undoing of an act that the ledger has recorded."""

    act: GameRight
    change_input: ChangeInput
    undone_entry_id: int | None = None


def run_act(arguments: argparse.Namespace, act: GameRight, change_input: ChangeInput) -> int:
    """Perform one act and print what it changed."""
    return run_chosen_act(arguments, lambda _: ChosenAct(act, change_input))


def run_chosen_act(arguments: argparse.Namespace, choose_act: Callable[[Tx], ChosenAct]) -> int:
    """Perform the act that is chosen from what the database holds, and print what it changed."""
    with open_database(settings_for(arguments)) as url:
        database = Database(url, pool_size=1)
        try:
            with transaction(database, utc_now()) as tx:
                printed_text = _perform_act(tx, arguments, choose_act(tx))
        except NotFound as missing:
            raise OperatorError(f"There is no game {arguments.slug}.") from missing
        except (FieldErrors, NotAllowed, StaleTurn, IllegalAction) as refusal:
            raise OperatorError(_refusal_text(refusal)) from refusal
        finally:
            database.dispose()
    print(printable_line(printed_text))
    return 0


def _perform_act(tx: Tx, arguments: argparse.Namespace, chosen_act: ChosenAct) -> str:
    act_preview = _preview_act(tx, arguments.slug, chosen_act)
    position = act_preview.position
    if arguments.turn_is is not None and arguments.turn_is != position.seq:
        raise StaleTurn(position.seq)
    sentence = _change_sentence(act_preview, chosen_act.change_input)
    if arguments.dry_run:
        return f"This would happen: {sentence}"
    request = ActRequest(
        actor=None,
        slug=arguments.slug,
        act=chosen_act.act,
        change_input=chosen_act.change_input,
        reason=arguments.reason,
        form_id=secrets.token_urlsafe(),
        expected=Position(*position),
        undoes=chosen_act.undone_entry_id,
    )
    perform_act_request(tx, request, random_below=secrets.randbelow)
    return sentence


def _preview_act(tx: Tx, slug: str, chosen_act: ChosenAct) -> ActPreview:
    if chosen_act.undone_entry_id is None:
        return preview(tx, None, slug, chosen_act.act, chosen_act.change_input)
    game = find_game_to_act_on(tx, None, slug, chosen_act.act)
    return preview_undoing(tx, game, chosen_act.act, chosen_act.undone_entry_id, actor=None)


def _change_sentence(act_preview: ActPreview, change_input: ChangeInput) -> str:
    change = act_preview.change
    names = {seat.number: seat.shown_name for seat in act_preview.game.seats}
    name = change_input.name or ("" if change.seat is None else names[change.seat])
    facts = ActFacts(act_preview.act, change.seat, name, change.before, change.after)
    english = language_for(DEFAULT_LANGUAGE)
    return act_sentence(facts, ActLocale(english, ZoneInfo("UTC"), utc_now().astimezone(UTC)))


def _refusal_text(refusal: FieldErrors | NotAllowed | StaleTurn | IllegalAction) -> str:
    english = language_for(DEFAULT_LANGUAGE)
    match refusal:
        case FieldErrors(errors=errors):
            return "\n".join(
                f"{error.field.capitalize()}: {field_sentence(error, english)}" for error in errors
            )
        case NotAllowed():
            return refused_sentence(refusal, ActLocale(english, ZoneInfo("UTC"), utc_now()))
        case StaleTurn(seq=seq):
            return f"The game has moved on: its latest turn is {seq}. Nothing was changed."
    return "The rules don't allow that in this position. Nothing was changed."
