"""Perform a moderator's act from the command line, as the operator: what `lodepost game` and `lodepost seat` share."""

import argparse
import secrets
from collections.abc import Callable
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from engine.errors import IllegalAction
from webapp.commands.database import add_data_option, command_transaction, settings_for
from webapp.commands.messages import refusal_text
from webapp.kernel.i18n import DEFAULT_LANGUAGE, Locale, language_for
from webapp.kernel.keyring import NewLink
from webapp.kernel.operator_errors import OperatorError
from webapp.kernel.refusals import FieldErrors, NotAllowed, NotFound, StaleTurn
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Tx
from webapp.moderation.performing import (
    ActPreview,
    ActRequest,
    Position,
    find_game_to_act_on,
    perform_act_request,
    preview,
    preview_undoing,
)
from webapp.play.changes.acts import Act, ActCommand, ActInput, acts_by_name, announcement
from webapp.wording.acts import ActFacts, act_sentence
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

    act: Act[Any]
    given: ActInput
    undone_entry_id: int | None = None


def add_acts(add_parser: Callable[..., argparse.ArgumentParser], command: str) -> None:
    """Add the acts that this command performs."""
    for act, action in _actions_of(command):
        parser = add_parser(action.action, help=action.help, description=action.help)
        add_slug(parser)
        if command == "seat":
            parser.add_argument(
                "seat", metavar="SEAT", type=int, help="the number of the seat, counted from 1"
            )
        act.add_arguments(parser)
        add_act_options(parser)


def add_slug(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("slug", metavar="SLUG", help="the game: the last part of its address")


def run_act(
    arguments: argparse.Namespace, command: str, new_link: Callable[[], NewLink] | None = None
) -> int:
    """Perform the act that was asked for and print what it changed; ``new_link`` makes a link for those that need one."""
    act = next(act for act, action in _actions_of(command) if action.action == arguments.action)

    def choose_act(tx: Tx) -> ChosenAct:
        given = act.read_arguments(tx, arguments)
        return ChosenAct(act, given if new_link is None else act.with_link(given, new_link))

    return run_chosen_act(arguments, choose_act)


def _actions_of(command: str) -> list[tuple[Act[Any], ActCommand]]:
    actions = (
        (act, act.command)
        for act in acts_by_name().values()
        if act.command is not None and act.command.name == command
    )
    return sorted(actions, key=lambda action: action[1].order)


def run_chosen_act(arguments: argparse.Namespace, choose_act: Callable[[Tx], ChosenAct]) -> int:
    """Perform the act that is chosen from what the database holds, and print what it changed."""
    try:
        with command_transaction(settings_for(arguments)) as tx:
            printed_text = _perform_act(tx, arguments, choose_act(tx))
    except NotFound as missing:
        raise OperatorError(f"There is no game {arguments.slug}.") from missing
    except (FieldErrors, NotAllowed) as refusal:
        raise OperatorError(refusal_text(refusal)) from refusal
    except StaleTurn as stale:
        raise OperatorError(
            f"The game has moved on: its latest turn is {stale.seq}. Nothing was changed."
        ) from stale
    except IllegalAction as illegal:
        raise OperatorError(
            "The rules don't allow that in this position. Nothing was changed."
        ) from illegal
    print(printable_line(printed_text))
    return 0


def _perform_act(tx: Tx, arguments: argparse.Namespace, chosen_act: ChosenAct) -> str:
    act_preview = _preview_act(tx, arguments.slug, chosen_act)
    position = act_preview.position
    if arguments.turn_is is not None and arguments.turn_is != position.seq:
        raise StaleTurn(position.seq)
    sentence = _change_sentence(act_preview, chosen_act.given)
    if arguments.dry_run:
        return f"This would happen: {sentence}"
    request = ActRequest(
        actor=None,
        slug=arguments.slug,
        act=chosen_act.act,
        given=chosen_act.given,
        reason=arguments.reason,
        form_id=secrets.token_urlsafe(),
        expected=Position(*position),
        undoes=chosen_act.undone_entry_id,
    )
    perform_act_request(tx, request)
    return sentence


def _preview_act(tx: Tx, slug: str, chosen_act: ChosenAct) -> ActPreview:
    if chosen_act.undone_entry_id is None:
        return preview(tx, None, slug, chosen_act.act, chosen_act.given)
    game = find_game_to_act_on(tx, None, slug, chosen_act.act.right)
    return preview_undoing(tx, game, chosen_act.act, chosen_act.undone_entry_id, actor=None)


def _change_sentence(act_preview: ActPreview, given: ActInput) -> str:
    change = act_preview.change
    text = announcement(act_preview.act.name, change.before, change.after)
    names = {seat.number: seat.shown_name for seat in act_preview.game.seats}
    name = given.new_name or ("" if change.seat is None else names[change.seat])
    facts = ActFacts(text, change.seat, name, change.before, change.after)
    english = language_for(DEFAULT_LANGUAGE)
    return act_sentence(facts, Locale(english, ZoneInfo("UTC"), utc_now()))
