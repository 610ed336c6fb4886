"""The settings of the site, for site moderators: one form, a reason, and an entry in the ledger for each change."""

from typing import Final

from flask import Blueprint, Response, flash, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import HiddenField, SelectField, StringField, TextAreaField

from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right
from webapp.kernel import urls
from webapp.kernel.i18n import N_, Language
from webapp.kernel.refusals import MAX_REASON_LENGTH
from webapp.kernel.rights import SiteRight
from webapp.kernel.site_settings import SETTING_NAMES, SignUp, SiteSettings, setting_text
from webapp.moderation.settings_change import SettingsChange, change_settings, version_of
from webapp.site.current_settings import read_settings
from webapp.web.context import current_context
from webapp.web.forms import FormError, PageForm, form_view, new_form_id, one_line, submission
from webapp.web.identity_gate import require_proof
from webapp.web.layout import PagePosition, render_page
from webapp.web.session import locale_of, require_viewer

pages = Blueprint("site_settings", __name__)
_SIGN_UP_TEXTS: Final = {
    SignUp.OPEN: N_("Everyone"),
    SignUp.INVITATION: N_("Only people with an invitation"),
    SignUp.CLOSED: N_("No one"),
}


class SettingsForm(PageForm):
    """The use case checks the values, as it does for the command line."""

    site_name = StringField(N_("Name of the site"), [one_line])
    sign_up = SelectField(N_("Who may create an account"), validate_choice=False)
    accent_colour = StringField(N_("Colour of links and buttons"), [one_line])
    maintenance = StringField(N_("Closed for maintenance"), [one_line])
    most_open_tables = StringField(N_("Tables that one host may have before the deal"), [one_line])
    most_games = StringField(N_("Games that one person may be in at a time"), [one_line])
    most_invited = StringField(N_("Invitations by email to one table"), [one_line])
    most_invited_a_day = StringField(N_("Invitations by email from one person a day"), [one_line])
    most_clubs = StringField(N_("Clubs that one person may be in"), [one_line])
    moderators_need_passkey = SelectField(
        N_("Site moderators must have a passkey"), validate_choice=False
    )
    imprint = TextAreaField(N_("Imprint"))
    privacy = TextAreaField(N_("Privacy notice"))
    reason = StringField(
        N_("Reason for the change"), [one_line], render_kw={"maxlength": MAX_REASON_LENGTH}
    )
    version = HiddenField(validators=[one_line])
    form_id = HiddenField(validators=[one_line])

    def __init__(
        self, language: Language, formdata: MultiDict[str, str] | None = None, **data: object
    ) -> None:
        super().__init__(language, formdata, **data)
        self.sign_up.choices = [
            (value.value, language.gettext(text)) for value, text in _SIGN_UP_TEXTS.items()
        ]
        self.moderators_need_passkey.choices = [
            ("off", language.gettext("No")),
            ("on", language.gettext("Yes, and use it in each session before moderating")),
        ]

    def change(self) -> SettingsChange:
        """Return what was typed; of a field that was not sent, nothing."""
        sent_names = [name for name in SETTING_NAMES if self[name].raw_data]
        return SettingsChange(
            values={name: self.text(name) for name in sent_names},
            reason=self.text("reason"),
            form_id=self.text("form_id") or new_form_id(),
            version=self.text("version") or None,
        )


@pages.get(urls.site_settings.rule)
def show_settings() -> ResponseReturnValue:
    return _show_settings()


@pages.post(urls.site_settings.rule)
@form_view
def change() -> ResponseReturnValue:
    """Store what differs, and show the settings again: this process uses them at once, others within seconds."""
    form = SettingsForm(locale_of(None).language, request.form)
    try:
        with submission(form) as tx:
            viewer = require_viewer(tx)
            changed_settings = change_settings(
                tx,
                viewer,
                form.change(),
                defaults=current_context().settings.site_defaults,
            )
            if changed_settings:
                require_proof(tx, SiteRight.CHANGE_SETTINGS)
    except FormError as error:
        return _show_settings(form, error)
    current_context().site_settings.invalidate()
    language = locale_of(viewer).language
    flash(*_saved_message(len(changed_settings), language))
    return redirect(urls.site_settings(), 303)


def _saved_message(count: int, language: Language) -> tuple[str, str]:
    if not count:
        return language.gettext("Nothing to change: the site already has these settings."), "info"
    text = language.ngettext("Changed %(num)s setting.", "Changed %(num)s settings.", count)
    return text, "good"


def _show_settings(form: SettingsForm | None = None, error: FormError | None = None) -> Response:
    """Return the page. Raises SignInRequired, and NotFound for all but site moderators."""
    with current_context().read_only() as tx:
        viewer = require_site_right(require_viewer(tx), SiteRight.CHANGE_SETTINGS)
        current_settings = read_settings(tx, current_context().settings.site_defaults)
    return render_page(
        "moderation/site_settings.html",
        viewer=viewer,
        nav_position=PagePosition(urls.site_settings()),
        status=200 if error is None else error.status,
        form=_form_with_version(form, current_settings)
        if form
        else _settings_form(current_settings, viewer),
        error=error,
        is_closed=bool(current_settings.maintenance),
    )


def _settings_form(current_settings: SiteSettings, viewer: Person) -> SettingsForm:
    values: dict[str, object] = {
        name: setting_text(current_settings, name) for name in SETTING_NAMES
    }
    language = locale_of(viewer).language
    return SettingsForm(
        language, None, version=version_of(current_settings), form_id=new_form_id(), **values
    )


def _form_with_version(form: SettingsForm, current_settings: SiteSettings) -> SettingsForm:
    """Return a form that was refused; if others changed settings meanwhile, it shows theirs, and may be sent again."""
    if form.text("version") != version_of(current_settings):
        for name in SETTING_NAMES:
            form[name].data = setting_text(current_settings, name)
        form.version.data = version_of(current_settings)
    return form
