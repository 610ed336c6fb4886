"""The forms of a table before the deal, and of emails about open seats."""

from collections.abc import Iterable
from typing import Final

from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, EmailField, HiddenField, SelectField, StringField

from webapp.accounts.names import MAX_NAME_LENGTH
from webapp.accounts.person import Person
from webapp.kernel.i18n import N_, Language
from webapp.lobby.host_actions import RemovalRequest
from webapp.lobby.seats import SeatWish
from webapp.play.summaries import SeatSummary
from webapp.web.bot_level_field import BotLevelField
from webapp.web.forms import PageForm, one_line, optional_number

_RANDOM_STARTER: Final = ""
_NO_SEAT: Final = -1


class TakeSeatForm(PageForm):
    """Take a seat. ``name`` is for this table only, for a player whose own name is taken there."""

    seat = HiddenField(validators=[optional_number])
    removals = HiddenField(validators=[optional_number])
    name = StringField(
        N_("Your name at this table"), [one_line], render_kw={"maxlength": MAX_NAME_LENGTH}
    )

    def wish(self) -> SeatWish:
        """Return what is wanted; a form without ``removals`` is one from before anyone was removed."""
        return SeatWish(
            number=self.number("seat"),
            name=self.text("name"),
            seen_removals=self.number("removals") or 0,
        )


class RemovePlayerForm(PageForm):
    """The host frees a seat; the token says who sits there."""

    seat = HiddenField(validators=[optional_number])
    form_token = HiddenField()

    def removal_request(self) -> RemovalRequest:
        """Return what is wanted; without a seat it is refused."""
        number = self.number("seat")
        return RemovalRequest(
            seat=_NO_SEAT if number is None else number, form_token=self.text("form_token")
        )


class LeaveForm(PageForm):
    """The token proves that the viewer had a seat, when the form is sent twice."""

    form_token = HiddenField()


class ReadyForm(PageForm):
    """The salt is used as typed, with its spaces."""

    salt = StringField(N_("Your random words"))


class InviteForm(PageForm):
    address = EmailField(N_("Email address"), [one_line])


class FillWithBotsForm(PageForm):
    """Bots take the free seats; ``confirmed`` is sent by those who have read that people whom they invited may still answer."""

    level = BotLevelField()
    confirmed = HiddenField()

    def __init__(
        self, locale_language: Language, formdata: MultiDict[str, str] | None = None
    ) -> None:
        super().__init__(locale_language, formdata)
        self.is_submitted = formdata is not None
        self.level.offer(self)

    @property
    def is_confirmed(self) -> bool:
        return bool(self.text("confirmed"))


class StarterForm(PageForm):
    """The host sets who starts. Seats are numbered from 1 on pages."""

    starter = SelectField(N_("Starting player"), [optional_number], validate_choice=False)

    def seat_number(self) -> int | None:
        """Return the seat that starts, or None to leave it to chance."""
        number = self.number("starter")
        return None if number is None else number - 1

    def offer_seats(self, seats: Iterable[SeatSummary]) -> None:
        """Set the choices of the form that is shown."""
        language = self.locale_language
        self.starter.choices = [
            (_RANDOM_STARTER, language.gettext("Chosen at random")),
            *((str(seat.number + 1), _seat_name(seat, language)) for seat in seats),
        ]


class OpenSeatEmailsForm(PageForm):
    """Whether to tell someone of open seats."""

    wants_open_seats = BooleanField(
        N_("Tell me by email when a seat opens at a table that I may join")
    )


def form_asking_for_name(form: PageForm | None, viewer: Person | None) -> TakeSeatForm | None:
    """Return the form with which the viewer chooses another name, if their name was refused at this table."""
    if viewer is None or not isinstance(form, TakeSeatForm) or not form.name.errors:
        return None
    form.name.data = form.name.data or viewer.name
    return form


def _seat_name(seat: SeatSummary, language: Language) -> str:
    if not seat.name:
        return language.gettext("Seat %(seat)s", seat=seat.number + 1)
    return language.gettext("Seat %(seat)s: %(name)s", seat=seat.number + 1, name=seat.name)
