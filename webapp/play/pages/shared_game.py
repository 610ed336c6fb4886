"""Sharing a finished game: the buttons with which its players create and withdraw a link, and the page that anyone with the link sees."""

from dataclasses import replace
from hashlib import sha256
from typing import Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField

from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.picture.png import png_of
from webapp.picture.share_picture import HEIGHT, WIDTH, GoldRow, draw_share_picture, is_drawable
from webapp.play.access import game_for
from webapp.play.pages.finished_game import ranking
from webapp.play.views.shared_games import SharedGame, share_game, shared_game, withdraw_link
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, submission
from webapp.web.layout import render_page
from webapp.web.security_headers import let_caches_keep
from webapp.web.session import locale_of, token
from webapp.wording.perspective import perspective_at
from webapp.wording.results import game_headline, round_headline

_KEPT_SECONDS: Final = 600
"""How long caches may keep a picture: sites that show a link ask for it again and again, and a withdrawn one must soon be gone."""
pages = Blueprint("shared_game", __name__)


class WithdrawForm(PageForm):
    """Names the link that it withdraws, so that an old page does not withdraw a newer one."""

    link = HiddenField()


@pages.post(urls.share.rule)
@form_view
def share(slug: str) -> ResponseReturnValue:
    """Create the link of a finished game, and return to the game; if that is refused, say why there."""
    form = PageForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token(), mode="change")
            share_game(tx, access)
    except FormError as error:
        flash(error.text, "bad")
    return redirect(f"{urls.game(slug)}#share", 303)


@pages.post(urls.withdraw_share.rule)
@form_view
def withdraw(slug: str) -> ResponseReturnValue:
    """Withdraw the link that the form names, and return to the game."""
    form = WithdrawForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            access = game_for(tx, slug, token(), mode="change")
            withdraw_link(tx, access, form.text("link"))
    except FormError as error:
        flash(error.text, "bad")
    return redirect(f"{urls.game(slug)}#share", 303)


@pages.get(urls.shared_game.rule)
def show_shared_game(link: str) -> Response:
    """Show a finished game to anyone with its link, signed in or not."""
    game, language = _shared_game(link), locale_of(None).language
    perspective = perspective_at(game.seats, language)
    base_url = current_context().settings.base_url
    return render_page(
        "play/shared/shared.html",
        viewer=None,
        game=game,
        perspective=perspective,
        headline=game_headline(game.view, perspective),
        description=_description(game, language),
        url=urls.absolute_url(base_url, urls.shared_game(link)),
        image_url=urls.absolute_url(base_url, urls.shared_picture(link)),
        image_size=(WIDTH, HEIGHT),
        ranking=ranking(game.view, game.rounds),
    )


@pages.get(urls.shared_picture.rule)
def show_picture(link: str) -> Response:
    """Return the picture that other sites show beside the link; 304 if the reader has it, which draws nothing."""
    drawing = _drawing(_shared_game(link), locale_of(None).language)
    response = Response(content_type="image/png")
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Vary"] = "Accept-Language, Cookie"
    let_caches_keep(_KEPT_SECONDS)
    response.set_etag(sha256(drawing.encode()).hexdigest())
    if not request.if_none_match.contains(response.get_etag()[0] or ""):
        response.set_data(png_of(drawing))
    response.make_conditional(request)
    return response


def _drawing(game: SharedGame, language: Language) -> str:
    """Return the picture; names with characters that its font lacks are replaced by the numbers of their seats."""
    names = [
        seat.name
        if is_drawable(seat.name)
        else language.gettext("Player %(number)s", number=seat.number + 1)
        for seat in game.seats
    ]
    perspective = replace(perspective_at(game.seats, language), names=tuple(names))
    rows = [
        GoldRow(row.seat, perspective.initials(row.seat), perspective.name(row.seat), row.nuggets)
        for row in ranking(game.view, game.rounds)
    ]
    last = game.rounds[-1]
    headline = game_headline(game.view, perspective)
    site_name = current_context().site_settings.current().site_name
    return draw_share_picture(last.view, last.path, rows, headline=headline, site_name=site_name)


def _shared_game(link: str) -> SharedGame:
    context = current_context()
    with context.read_only() as tx:
        return shared_game(tx, link)


def _description(game: SharedGame, language: Language) -> str:
    """Return who won each round, for the preview of a link."""
    return " · ".join(round_headline(over.result, language) for over in game.rounds)
