"""What all forms of a club have in common: find the club, lock it, do something, and show the outcome."""

from collections.abc import Callable

from flask import flash, redirect
from flask.typing import ResponseReturnValue

from webapp import urls
from webapp.i18n import Language
from webapp.services.clubs.access import ClubAccess, club_for
from webapp.services.keys import TokenSource
from webapp.services.tx import Tx
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, submission
from webapp.web.session import SignInRequired, locale_of, redirect_to_introduction, token

UseCase = Callable[[Tx, ClubAccess], object]
ShowFormAgain = Callable[[str, PageForm, FormError], ResponseReturnValue]


def act_in_club(
    slug: str,
    form: PageForm,
    use_case: UseCase,
    *,
    success_message: str = "",
    redirect_path: str,
    show_again: ShowFormAgain,
) -> ResponseReturnValue:
    """Run a use case on the locked club and redirect to the path ``redirect_path`` with the message ``success_message``.

    If it is refused, return the page with the form again.
    """
    try:
        with submission(form) as tx:
            access = club_for(tx, slug, token(), mode="change")
            if access.me is None:
                raise SignInRequired
            if not access.me.name:
                return redirect_to_introduction(access.me, urls.club(slug))
            use_case(tx, access)
    except FormError as error:
        return show_again(slug, form, error)
    if success_message:
        flash(success_message, "good")
    return redirect(redirect_path, 303)


def browser_language() -> Language:
    """Return the language in which forms answer before the viewer is known."""
    return locale_of(None).language


def token_source() -> TokenSource:
    return TokenSource(current_context().keys, current_context().tokens)
