"""Change of address: ask for it, confirm it with the link from the email, or withdraw it. Only a POST uses the link up."""

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from wtforms import StringField

from webapp.accounts import address_change
from webapp.accounts.sign_in import address_proof
from webapp.kernel import urls
from webapp.kernel.i18n import N_
from webapp.kernel.keyring import TokenSource
from webapp.kernel.refusals import NotFound
from webapp.mail.outbox import bounces
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, required, submission
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import (
    is_own_path,
    locale_of,
    remember_address_proof,
    require_confirmed_viewer,
    require_viewer,
)

pages = Blueprint("address", __name__)


class AddressForm(PageForm):
    address = StringField(N_("New email address"), [required])


@pages.get(urls.account_address.rule)
def show_address_form() -> ResponseReturnValue:
    return _show_form(AddressForm(locale_of(None).language))


@pages.post(urls.account_address.rule)
@form_view
def request_change() -> ResponseReturnValue:
    """Email the link; the answer is the same whether the new address has an account or not."""
    form, context = AddressForm(locale_of(None).language, request.form), current_context()
    try:
        with submission(form) as tx:
            viewer = require_confirmed_viewer(tx)
            TokenSource(context.keys, context.tokens)
            address_change.request_change(tx, viewer, form.text("address"))
    except FormError as error:
        return _show_form(form, error)
    return redirect(urls.account_security(), 303)


@pages.post(urls.withdraw_address.rule)
def withdraw_change() -> ResponseReturnValue:
    with current_context().transaction() as tx:
        viewer = require_viewer(tx)
        address_change.withdraw_change(tx, viewer)
    flash(locale_of(viewer).language.gettext("Your address stays as it is."), "good")
    return redirect(urls.account_security(), 303)


@pages.post(urls.resume_emails.rule)
def resume_emails() -> ResponseReturnValue:
    """Send emails to the viewer again, and return to the page where they read that none were sent."""
    with current_context().transaction() as tx:
        viewer = require_viewer(tx)
        bounces.resume_emails(tx, viewer)
    flash(
        locale_of(viewer).language.gettext(
            "We'll send emails to %(address)s again.", address=viewer.address
        ),
        "good",
    )
    path = request.form.get("return_path", "")
    return redirect(path if is_own_path(path) else urls.home(), 303)


@pages.get(urls.address_link.rule)
def show_address_link(link: str) -> ResponseReturnValue:
    """Show a button, because mail programs open links too, or that the link does not work."""
    return _show_link(link)


@pages.post(urls.address_link.rule)
@form_view
def confirm_change(link: str) -> ResponseReturnValue:
    """Change the address, once."""
    language, context = locale_of(None).language, current_context()
    try:
        with submission(PageForm(language, request.form)) as tx:
            viewer = require_viewer(tx)
            address = address_change.confirm_change(tx, viewer, link)
    except FormError as error:
        return _show_link(link, error)
    except NotFound:
        return _answer_dead_link()
    remember_address_proof(address_proof(address, context.keys))
    flash(language.gettext("Your address is now %(address)s.", address=address), "good")
    return redirect(urls.account_security(), 303)


def _show_form(form: AddressForm, error: FormError | None = None) -> Response:
    with current_context().read_only() as tx:
        viewer = require_confirmed_viewer(tx)
    return render_page(
        "accounts/address.html",
        viewer=viewer,
        nav_position=PagePosition(urls.account_address()),
        status=200 if error is None else error.status,
        form=form,
        error=error,
    )


def _show_link(link: str, error: FormError | None = None) -> ResponseReturnValue:
    try:
        with current_context().read_only() as tx:
            viewer = require_viewer(tx)
            pending_change = address_change.change_of_token(tx, viewer, link)
    except NotFound:
        return _answer_dead_link()
    return render_page(
        "accounts/address_link.html",
        viewer=viewer,
        nav_position=PagePosition(urls.account_address()),
        status=200 if error is None else error.status,
        link=link,
        pending=pending_change,
        error=error,
    )


def _answer_dead_link() -> ResponseReturnValue:
    """Answer alike for a link that was used, withdrawn or invented, that has expired, or that belongs to another account."""
    text = locale_of(None).language.gettext(
        "That link doesn't work. It may have been used already, or it has expired. Links work once, for a day, in a browser where you're signed in to the account that asked for it."
    )
    flash(text, "bad")
    return redirect(urls.account_security(), 303)
