"""The page of one act on several games: one preview of all of them, one reason, and what became of each."""

from collections.abc import Iterable
from typing import Any, Final

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from webapp.accounts.person import Person
from webapp.kernel import urls
from webapp.kernel.refusals import FieldErrors, NotFound, checked_reason
from webapp.moderation.act_page import ActPage
from webapp.moderation.bulk_acts import (
    BulkResult,
    BulkTarget,
    perform_act_on_games,
    preview_act_on_games,
)
from webapp.moderation.pages.act_forms import ActInputForm, BulkReasonForm, act_form
from webapp.moderation.pages.acts import act_named, act_note, change_sentence, refusal_sentence
from webapp.moderation.performing import ActRequest
from webapp.play.changes.acts import Act
from webapp.web.context import current_context
from webapp.web.forms import FormError, form_view, id_in, new_form_id, submission
from webapp.web.identity_gate import require_proof
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer

pages = Blueprint("bulk_acts", __name__)

_PARAMETERS_WITHOUT_INPUT: Final = frozenset({"game", "back"})
"""What the address of a preview holds besides the inputs of the act: the games, and the list that they were chosen from."""


@pages.get(urls.bulk_act.rule)
def show_bulk_act(act: str) -> ResponseReturnValue:
    """Show what the act would change in each game of the query."""
    has_input = any(name not in _PARAMETERS_WITHOUT_INPUT for name in request.args)
    typed_input = request.args if has_input else None
    form = act_form(_bulk_act(act), locale_of(None).language, typed_input)
    slugs = [text.partition(":")[0] for text in request.args.getlist("game")]
    return _show(form, slugs, is_filled=has_input)


@pages.post(urls.bulk_act.rule)
@form_view
def perform_bulk_act(act: str) -> ResponseReturnValue:
    """Perform the act in every game and list what became of each."""
    language = locale_of(None).language
    form = act_form(_bulk_act(act), language, request.form)
    reason = BulkReasonForm(language, request.form)
    targets = _parse_targets(request.form.getlist("game"))
    try:
        with submission(reason) as tx:
            form.require_valid()
            viewer = require_viewer(tx)
            act_request = ActRequest(
                actor=viewer,
                slug="",
                act=form.act,
                given=form.given(),
                reason=checked_reason(reason.reason.data or ""),
                form_id=reason.text("form_id"),
            )
            results = perform_act_on_games(tx, act_request, targets)
            if results and all(type(result.refusal) is NotFound for result in results):
                raise NotFound
            if any(result.refusal is None for result in results):
                require_proof(tx, form.act.right)
    except FormError as error:
        slugs = [target.slug for target in targets]
        return _show(form, slugs, is_filled=True, reason=reason, error=error)
    return _show_results(viewer, form.act, results)


def _show_results(viewer: Person, act: Act[Any], results: Iterable[BulkResult]) -> Response:
    """Return the page that says what became of each game, or that none was chosen."""
    language = locale_of(viewer).language
    return render_page(
        "moderation/acts/bulk_results.html",
        viewer=viewer,
        nav_position=PagePosition(urls.bulk_act(act.name)),
        title=language.gettext(act.summary),
        results=[(result, _outcome_text(result, viewer)) for result in results],
        back=_return_path(viewer),
    )


def _return_path(viewer: Person) -> str:
    """Return the list from which the games were chosen, with its filter. Moderators of a club have no other list."""
    dashboard_path = urls.dashboard_or_none(request.args.get("back", ""))
    return dashboard_path or (urls.moderation() if viewer.is_moderator else urls.clubs())


def _bulk_act(name: str) -> Act[Any]:
    act = act_named(name)
    if not act.is_bulk:
        raise NotFound
    return act


def _parse_targets(target_texts: list[str]) -> list[BulkTarget]:
    """Return the games of the form, each as SLUG:SEQ:ENTRY; what is not of this form is left out."""
    parts = (text.split(":") for text in target_texts)
    numbers = (
        (slug, id_in(seq), id_in(entry))
        for slug, seq, entry in (part for part in parts if len(part) == 3)  # noqa: PLR2004
    )
    return [
        BulkTarget(slug, seq, entry)
        for slug, seq, entry in numbers
        if seq is not None and entry is not None
    ]


def _outcome_text(result: BulkResult, viewer: Person) -> str:
    if result.refusal is None:
        return locale_of(viewer).language.gettext("Done")
    return refusal_sentence(result.refusal, viewer)


def _show(
    form: ActInputForm,
    slugs: list[str],
    *,
    is_filled: bool,
    reason: BulkReasonForm | None = None,
    error: FormError | None = None,
) -> Response:
    act, language = form.act, locale_of(None).language
    with current_context().read_only() as tx:
        viewer = require_viewer(tx)
        is_valid = not is_filled or form.validate()
        given = form.given() if is_valid else act_form(act, language).given()
        pages_of_games = preview_act_on_games(tx, viewer, slugs, act, given)
    if not slugs:
        return _show_results(viewer, act, [])
    if not pages_of_games:
        raise NotFound
    return render_page(
        "moderation/acts/bulk.html",
        viewer=viewer,
        nav_position=PagePosition(urls.bulk_act(act.name)),
        status=200 if error is None else error.status,
        act=act,
        form=form,
        reason=BulkReasonForm(language) if reason is None else reason,
        error=error,
        form_id=new_form_id() if reason is None else reason.text("form_id"),
        title=language.gettext(act.summary),
        verb=language.gettext(act.label),
        note=act_note(act, language),
        games=[(page, _preview_sentence(page)) for page in pages_of_games],
        back=_return_path(viewer),
        is_possible=is_valid and any(page.change is not None for page in pages_of_games),
    )


def _preview_sentence(page: ActPage) -> str:
    """Return what would change in one game, or why nothing can."""
    if page.refusal is None:
        return change_sentence(page)
    if isinstance(page.refusal, FieldErrors):
        return ""
    return refusal_sentence(page.refusal, page.viewer)
