"""The page of a game: what happened since the viewer's last turn, what they can do now, and the turns that are sent from it."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, get_args
from zoneinfo import ZoneInfo

import msgspec
from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import HiddenField, StringField

from engine.actions import Action, Lay
from engine.cards import ACTION_CARDS, PATH_CARDS, TOOLS
from webapp.kernel import urls
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import Language
from webapp.lobby.lobby_page import LobbyPage, lobby_page
from webapp.lobby.pages.lobby import show_lobby
from webapp.picture.pips import pips_of
from webapp.picture.places import Preview
from webapp.play.access import SeatLost, game_for
from webapp.play.history import HistoryEntry
from webapp.play.pages.announcements import new_announcements
from webapp.play.pages.finished_game import show_finished_game
from webapp.play.pages.move_picker import (
    MovePicker,
    PickerView,
    Selection,
    selection_from_form,
    selection_from_url,
)
from webapp.play.pages.offered_acts import can_be_nudged, offered_acts, undoable_ids
from webapp.play.pages.talk_forms import talk_values, turn_message_values
from webapp.play.talk.talk import MessageInput, send_message
from webapp.play.turns.turn_holding import play_or_hold
from webapp.play.views.table_page import BoardPage, TablePage, board_page, table_page
from webapp.web.context import current_context
from webapp.web.forms import (
    FormError,
    PageForm,
    cell_label,
    form_view,
    new_form_id,
    one_line,
    one_of,
    submission,
    whole_number,
)
from webapp.web.layout import PagePosition, render_page, render_part
from webapp.web.session import checked_viewer, locale_of, token
from webapp.wording.actions import action_detail, action_name, action_title, step_label
from webapp.wording.digest import digest, digest_turn, turn_numbers
from webapp.wording.mine import goal_sentences
from webapp.wording.paces import turn_time_sentence
from webapp.wording.perspective import Perspective, perspective_at, player_name, with_absences
from webapp.wording.thinking_aids import card_counts, player_deeds
from webapp.wording.turns import (
    broken_tools_sentence,
    latest_turn_sentence,
    role_reminder,
    turn_headline,
)

_ACTION_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    action.__struct_config__.tag: action.__struct_fields__ for action in get_args(Action)
}
_FIELDS_OF_ALL: Final = ("seq", "do", "message", "form_id")
"""Fields that every turn has."""
_NUMBER_FIELDS: Final = ("seat", "nuggets")
"""Fields with a whole number, which may be sent with blanks or leading zeros."""


class TurnForm(PageForm):
    """``do`` names the action, which has some of the other fields; ``seq`` is the turn after which the page was made."""

    seq = HiddenField(validators=[whole_number])
    do = HiddenField(validators=[one_of(_ACTION_FIELDS)])
    card = HiddenField(validators=[one_of(PATH_CARDS | ACTION_CARDS)])
    cell = HiddenField(validators=[cell_label])
    turned = HiddenField(validators=[one_of(("0", "1"))])
    seat = HiddenField(validators=[whole_number])
    tool = HiddenField(validators=[one_of(TOOLS)])
    nuggets = HiddenField(validators=[whole_number])
    message = StringField()
    """Said to the table together with the turn; empty for nothing."""
    form_id = HiddenField(validators=[one_line])

    def __init__(self, language: Language, formdata: MultiDict[str, str]) -> None:
        super().__init__(language, formdata)
        used_names = {*_FIELDS_OF_ALL, *_ACTION_FIELDS.get(self.text("do"), ())}
        for name in [field.name for field in self if field.name not in used_names]:
            del self[name]

    def message_input(self) -> MessageInput | None:
        """Return what the player says with the turn, if anything."""
        text = self.text("message")
        # Without an id the turn itself tells a second press: it is stale.
        return MessageInput(text, self.text("form_id") or self.text("seq")) if text else None

    def action(self) -> Action:
        """Return the action of a form that was checked."""
        numbers = {name: str(self.number(name)) for name in _NUMBER_FIELDS if name in self}
        return action_from({**self.data, **numbers})


def action_from(fields: Mapping[str, str]) -> Action:
    """Return the action with these form fields; fields that it does not have are ignored."""
    field_names = ("do", *_ACTION_FIELDS[fields["do"]])
    action: Action = msgspec.convert(
        {name: fields[name] for name in field_names}, Action, strict=False
    )
    return action


def form_fields_for(action: Action) -> dict[str, str]:
    """Return the form fields that make this action when they are sent."""
    fields: dict[str, Any] = msgspec.to_builtins(action)
    return {
        name: str(int(value)) if isinstance(value, bool) else str(value)
        for name, value in fields.items()
    }


pages = Blueprint("table", __name__)
_UNFOLDED_ENTRY_COUNT: Final = 7
"""How many of the latest turns are shown without opening the earlier ones."""


@pages.get(urls.game.rule)
def show_game(slug: str) -> ResponseReturnValue:
    """Show the table, or the lobby before the deal. What the viewer has picked so far is in the query."""
    try:
        return show_game_page(slug)
    except SeatLost:
        return redirect(urls.open_seat(slug))


@pages.get(urls.choice.rule)
def show_choice(slug: str) -> ResponseReturnValue:
    """Show the part of the table that changes with a choice. Redirects people who open it, and from a game without such a part, to the page."""
    selection = selection_from_url(request.args)
    picked = {name: value or None for name, value in selection._asdict().items()}
    if request.headers.get("Sec-Fetch-Mode") == "navigate":
        return redirect(urls.game(slug, **picked))
    try:
        page = _read_board(slug)
    except SeatLost:
        return redirect(urls.open_seat(slug))
    return redirect(urls.game(slug)) if page is None else _show_board(page, selection)


@pages.post(urls.turns.rule)
@form_view
def submit_turn(slug: str) -> ResponseReturnValue:
    """Take a turn, or hold it if the player wants that, and store what they say with it; show the current position with what was picked if the turn is refused."""
    form = TurnForm(locale_of(None).language, request.form)
    try:
        message_input = form.message_input()
        with submission(form, begins_late=message_input is None) as tx:
            access = game_for(tx, slug, token(), mode="play")
            action, seq = form.action(), form.number("seq") or 0
            held_turn = play_or_hold(tx, access, action, seq=seq)
            if message_input is not None:
                after = seq if held_turn else seq + 1
                send_message(tx, access, message_input, seq=after)
    except FormError as error:
        selection = selection_from_form(request.form)
        return show_game_page(slug, error, typed=form, selection=selection)
    if held_turn is None:
        flash(form.locale_language.gettext("Played."), "played")
    return redirect(urls.game(slug), 303)


def show_game_page(
    slug: str,
    error: FormError | None = None,
    *,
    typed: PageForm | None = None,
    selection: Selection | None = None,
) -> Response:
    """Return the table as it is now, or the lobby before the deal, with what is wrong with a form. Without a selection it is that of the URL."""
    page = _read_game_page(slug)
    if isinstance(page, LobbyPage):
        return show_lobby(page, error=error)
    return _show_table(page, selection or selection_from_url(request.args), error, typed=typed)


def _show_table(
    page: TablePage,
    selection: Selection,
    error: FormError | None = None,
    *,
    typed: PageForm | None = None,
) -> Response:
    """Return the table page for its viewer, with what they have picked and typed so far."""
    if page.finished is not None:
        return show_finished_game(page, page.finished, error, typed=typed)
    locale = locale_of(page.me)
    perspective = perspective_at(page.seats, locale.language)
    picker = _picker_view(page, perspective, selection)
    slug, entries = page.table.slug, _entries(page)
    return render_page(
        "play/table/table.html",
        viewer=checked_viewer(page.me),
        nav_position=PagePosition(urls.game(slug), slug),
        status=200 if error is None else error.status,
        error=error,
        rules_url=urls.rulebook(page.table.rulebook),
        **_board_values(page, perspective, picker),
        **_turn_line(page, perspective, locale.zone),
        **_numbered_turns(page, perspective),
        turn_time=_turn_time(page, locale.language),
        role_sentence=role_reminder(page.view, perspective),
        goals=goal_sentences(page.view, locale.language),
        entries=entries,
        unfolded_entries=_UNFOLDED_ENTRY_COUNT,
        planned_steps=_planned_steps(page, perspective),
        latest_turn=latest_turn_sentence(entries, perspective),
        **talk_values(page, entries, picker, typed),
        **_act_values(page),
    )


def _show_board(page: BoardPage, selection: Selection) -> Response:
    """Return the part of the table page that changes with what its viewer picks."""
    perspective = perspective_at(page.seats, locale_of(page.me).language)
    picker = _picker_view(page, perspective, selection)
    return render_part(
        "play/table/choice.html",
        viewer=checked_viewer(page.me),
        **_board_values(page, perspective, picker),
        **turn_message_values(picker),
    )


def _picker_view(page: BoardPage, perspective: Perspective, selection: Selection) -> PickerView:
    page_url = partial(urls.game, page.table.slug)
    picker = MovePicker(page.view, page.menu, page_url=page_url, perspective=perspective)
    return _with_held_turn(picker.picker_view(selection), page)


def _with_held_turn(picker: PickerView, page: BoardPage) -> PickerView:
    """Return the picker with the path card of the viewer's held turn on the mine, until they pick another.

    What is held already is not picked once more, unless it is by its card, which can be rotated.
    """
    action = None if page.held_turn is None else page.held_turn.action
    if action is None or picker.card is not None:
        return picker
    if isinstance(action, Lay):
        return picker._replace(preview=Preview(action.cell, action.card, action.turned))
    return picker._replace(action=None) if picker.action == action else picker


def _board_values(
    page: BoardPage, perspective: Perspective, picker: PickerView
) -> dict[str, object]:
    """Return what the mine and the hand show, and the picked action."""
    turns = _turns_on_mine(page)
    return {
        "page": page,
        "view": page.view,
        "perspective": perspective,
        "picker": picker,
        "confirm": _confirm_form(picker, perspective, page),
        "held_action": _held_action(page, perspective),
        "waits_for_bots": _waits_for_bots(page),
        "nudge_form_id": new_form_id() if _may_nudge(page) else "",
        "pips": pips_of(turns, turn_numbers(turns), perspective),
    }


def _act_values(page: TablePage) -> dict[str, object]:
    """Return what moderators and players did or can do besides playing."""
    return {
        "announcements": new_announcements(page),
        "undoable_ids": undoable_ids(page),
        "offered_acts": offered_acts(page, now=current_context().now()),
    }


def _turn_line(page: TablePage, perspective: Perspective, zone: ZoneInfo) -> dict[str, str]:
    """Return the first lines of the page: whose turn it is, the viewer's broken tools, and what happened."""
    now = current_context().now()
    return {
        "headline": turn_headline(
            page.view, with_absences(perspective, page.seats, now=now, zone=zone)
        ),
        "broken_tools_sentence": ""
        if page.table.status.is_over
        else broken_tools_sentence(page.view, page.tool_breakers, perspective),
        "digest": digest(
            page.entries_since_own_turn,
            page.last_own_turn,
            perspective,
            known_tools=page.tool_breakers,
        ),
    }


def _numbered_turns(page: TablePage, perspective: Perspective) -> dict[str, object]:
    """Return the numbers that turns have on the mine and in the list, and what the turns add up to."""
    turns = _turns_on_mine(page)
    return {
        "card_counts": card_counts(page.view, page.recent_entries, perspective),
        "player_deeds": player_deeds(page.recent_entries, perspective),
        "turn_numbers": turn_numbers(turns),
        "digest_turn": digest_turn(
            turns, page.last_own_turn, perspective, known_tools=page.tool_breakers
        ),
    }


def _turns_on_mine(page: BoardPage) -> tuple[HistoryEntry, ...]:
    """Return the turns since the viewer's own, which are numbered on the mine; none for onlookers."""
    return () if page.seat is None else page.entries_since_own_turn


def _turn_time(page: TablePage, language: Language) -> str:
    """Return an explanation of the present turn's time; nothing if there is nothing to explain."""
    awaiting = page.view.awaiting
    if awaiting is None or page.seats[awaiting.seat].is_free:
        return ""
    seat = page.seats[awaiting.seat]
    name = None if seat.is_me else player_name(seat.name, language)
    return turn_time_sentence(page.table.pace, seat.bank, language, name=name)


def _read_game_page(slug: str) -> LobbyPage | TablePage:
    """Return what the viewer may see of a game: the lobby before the deal, else the table. Raises NotFound."""
    context = current_context()
    with context.read_only() as tx:
        access = game_for(tx, slug, token())
        if access.game.is_dealt:
            return table_page(tx, access)
        return lobby_page(tx, access.game, access.person)


def _read_board(slug: str) -> BoardPage | None:
    """Return the board of a game that is under way; None before the deal and after the end. Raises NotFound."""
    with current_context().read_only() as tx:
        access = game_for(tx, slug, token())
        return board_page(tx, access) if access.game.status.is_under_way else None


def _confirm_form(
    picker: PickerView, perspective: Perspective, page: BoardPage
) -> dict[str, object] | None:
    """Return the title of the form that plays the picked action, what the title leaves out, and the fields."""
    if picker.action is None:
        return None
    return {
        "title": action_title(picker.action, perspective, view=page.view),
        "detail": action_detail(picker.action, perspective.language, view=page.view),
        "fields": {"seq": str(page.view.seq), **form_fields_for(picker.action)},
    }


def _planned_steps(page: TablePage, perspective: Perspective) -> list[tuple[str, str]]:
    """Return the steps of the viewer's plan, each with its label."""
    plan = None if page.plan is None else page.plan.plan
    return [
        (step_label(number, perspective.language), action_name(action, perspective, view=page.view))
        for number, action in enumerate(() if plan is None else plan.actions)
    ]


def _held_action(page: BoardPage, perspective: Perspective) -> str:
    """Return the viewer's held turn as text; nothing if there is none."""
    action = None if page.held_turn is None else page.held_turn.action
    return "" if action is None else action_name(action, perspective, view=page.view)


def _entries(page: TablePage) -> tuple[HistoryEntry, ...]:
    """Return the viewer's own last turn and everything since, oldest first."""
    return (
        page.entries_since_own_turn
        if page.last_own_turn is None
        else (page.last_own_turn, *page.entries_since_own_turn)
    )


def _may_nudge(page: BoardPage) -> bool:
    """Return whether the page has a button that reminds the player on turn: for the others who sit there, once a day."""
    awaiting = page.view.awaiting
    if awaiting is None or page.seat in {None, awaiting.seat} or page.deadline_at is None:
        return False
    return can_be_nudged(page, now=current_context().now())


def _waits_for_bots(page: BoardPage) -> bool:
    """Return whether a bot is to play, which takes it seconds."""
    is_running = page.table.status == GameStatus.RUNNING
    return is_running and any(seat.is_awaited and seat.is_bot for seat in page.seats)
