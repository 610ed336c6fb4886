"""The forms of clubs, and what all of them have in common: find the club, lock it, do something, and show the outcome."""

from collections.abc import Callable
from datetime import date
from typing import Any

from flask import flash, redirect
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import (
    BooleanField,
    EmailField,
    HiddenField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)

from webapp.clubs.access import ClubAccess, club_for
from webapp.clubs.announcements import MAX_ANNOUNCEMENT_LENGTH
from webapp.clubs.club_page import ClubCard
from webapp.clubs.founding import (
    MAX_CLUB_NAME_LENGTH,
    MAX_DESCRIPTION_LENGTH,
    TABLE_OPENERS,
    ClubProfile,
)
from webapp.kernel import urls
from webapp.kernel.i18n import N_, TRANSLATED_LANGUAGES, Language, language_for
from webapp.kernel.refusals import MAX_REASON_LENGTH, FieldError, FieldErrors
from webapp.kernel.tx import Tx
from webapp.lobby.pages.game_settings_form import GameSettingsForm, form_fields_of
from webapp.web.forms import FormError, PageForm, one_line, one_of, required, submission
from webapp.web.session import SignInRequired, locale_of, redirect_to_introduction, token

UseCase = Callable[[Tx, ClubAccess], object]
ShowFormAgain = Callable[[str, PageForm, FormError], ResponseReturnValue]


class ClubForm(GameSettingsForm):
    """What a club is, and how the form of a new table begins there."""

    name = StringField(
        N_("Name of the club"), [required], render_kw={"maxlength": MAX_CLUB_NAME_LENGTH}
    )
    description = TextAreaField(
        N_("About the club"), render_kw={"maxlength": MAX_DESCRIPTION_LENGTH, "rows": 5}
    )
    visibility = RadioField(
        N_("Who can see the club"),
        [one_of(("private", "public"))],
        default="private",
        validate_choice=False,
    )
    who_may_open = RadioField(
        N_("Who may open tables"),
        [one_of(TABLE_OPENERS)],
        default="members",
        validate_choice=False,
    )
    club_language = SelectField(
        N_("Language of the club"), [one_of(TRANSLATED_LANGUAGES)], validate_choice=False
    )

    def __init__(
        self,
        language: Language,
        formdata: MultiDict[str, str] | None = None,
        **data: Any,  # noqa: ANN401 - the defaults of any field
    ) -> None:
        super().__init__(language, formdata, **data)
        self.visibility.choices = [
            ("private", language.gettext("Only members")),
            ("public", language.gettext("Everyone, and anyone can ask to join")),
        ]
        self.who_may_open.choices = [
            ("members", language.gettext("All members")),
            ("moderators", language.gettext("Only the founder and moderators")),
        ]
        self.club_language.choices = [
            (code, language_for(code).name) for code in TRANSLATED_LANGUAGES
        ]

    def profile(self) -> ClubProfile:
        """Return the profile from a form that was checked."""
        return ClubProfile(
            name=self.text("name"),
            description=self.text("description"),
            is_public=self.visibility.data == "public",
            rulebook=self.rulebook.data,
            house=self.house_rules(),
            pace=self.chosen_pace(),
            late_rules=self.late_rules(),
            language=self.club_language.data,
            who_may_open=self.who_may_open.data,
        )


def form_fields_of_club(club: ClubCard) -> dict[str, Any]:
    """Return the values with which the form of an existing club begins."""
    return {
        "name": club.name,
        "description": club.description,
        "visibility": "public" if club.is_public else "private",
        "who_may_open": club.who_may_open,
        "club_language": club.language,
        **form_fields_of(club),
    }


class AnnounceForm(PageForm):
    announcement = TextAreaField(
        N_("Your announcement"), render_kw={"maxlength": MAX_ANNOUNCEMENT_LENGTH, "rows": 4}
    )


class InviteToClubForm(PageForm):
    address = EmailField(N_("Email address"), [one_line])


class ReasonForm(PageForm):
    """A button that needs a reason of site moderators."""

    reason = StringField(
        N_("Your reason, for the ledger"), [one_line], render_kw={"maxlength": MAX_REASON_LENGTH}
    )


class MemberForm(ReasonForm):
    """A button about a member. The proof shows that they were there when the page was made."""

    proof = HiddenField()


class LeaveClubForm(PageForm):
    """The proof shows that the viewer was in the club, when the form is sent twice."""

    proof = HiddenField()


class EmailsForm(PageForm):
    announcements = BooleanField(N_("Email me this club's announcements"))
    requests = BooleanField(N_("Email me when someone asks to join, at most once a day"))


class SeasonForm(PageForm):
    season_name = StringField(
        N_("Name of the season"), [required], render_kw={"maxlength": MAX_CLUB_NAME_LENGTH}
    )
    starts_on = StringField(N_("First day"), [required])
    ends_on = StringField(N_("Last day"), [required])

    def day(self, field: str) -> date:
        """Return the date in a field. Raises FieldErrors."""
        try:
            return date.fromisoformat(self.text(field))
        except ValueError:
            raise FieldErrors(FieldError(field, "not-a-date")) from None


def act_in_club(
    slug: str,
    form: PageForm,
    use_case: UseCase,
    *,
    success_message: str,
    redirect_path: str,
    show_again: ShowFormAgain,
) -> ResponseReturnValue:
    """Run a use case on the locked club and redirect to a page of it, with a message marked with ``N_``.

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
    flash(browser_language().gettext(success_message), "good")
    return redirect(redirect_path, 303)


def browser_language() -> Language:
    """Return the language in which forms answer before the viewer is known."""
    return locale_of(None).language
