"""The forms of acts: what each kind of act needs, and the reason that all of them need."""

from datetime import timedelta
from typing import Final

from werkzeug.datastructures import MultiDict
from wtforms import HiddenField, SelectField, StringField, TextAreaField

from webapp.i18n import N_, Language
from webapp.pages.moderation.labels import email_name
from webapp.rights import GameRight
from webapp.services.accounts.names import MAX_NAME_LENGTH
from webapp.services.moderation.act_page import ActPage
from webapp.services.moderator_reasons import MAX_REASON_LENGTH
from webapp.services.play.public_change import ChangeInput
from webapp.web.bot_level_field import BotLevelField
from webapp.web.forms import PageForm
from webapp.web.validators import number_between, one_line, one_of, optional_number, whole_number
from webapp.wording.bots import bot_label

_DURATION_BY_UNIT: Final = {"hours": timedelta(hours=1), "days": timedelta(days=1)}
_MAX_EXTENSION_HOURS: Final = 14 * 24


class BulkReasonForm(PageForm):
    """Performs an act on several games; where they stood is with each of them."""

    reason = TextAreaField(
        N_("Reason"), render_kw={"maxlength": MAX_REASON_LENGTH, "rows": 3, "required": True}
    )
    form_id = HiddenField(validators=[one_line])


class ReasonForm(BulkReasonForm):
    """Performs an act that was previewed: the reason, and where the game stood then."""

    seq = HiddenField(validators=[whole_number])
    entry = HiddenField(validators=[whole_number])
    undoes = HiddenField(validators=[optional_number])


class ActInputForm(PageForm):
    """What an act needs besides a reason: by default nothing."""

    needs_input = False
    """Whether there is nothing to preview before the form is filled in."""
    undoes = HiddenField(validators=[optional_number])
    """The entry of the ledger to be undone, instead of everything else."""

    def offer(self, page: ActPage) -> None:
        """Set the choices of the form, and what is chosen at first."""

    def change_input(self) -> ChangeInput:
        return ChangeInput()


class ExtendForm(ActInputForm):
    length = StringField(
        N_("How much longer"),
        [number_between(1, _MAX_EXTENSION_HOURS)],
        default="2",
        render_kw={"inputmode": "numeric", "maxlength": 3},
    )
    unit = SelectField(
        N_("Unit"), [one_of(_DURATION_BY_UNIT)], default="days", validate_choice=False
    )

    def __init__(
        self, language: Language, formdata: MultiDict[str, str] | None = None, **data: str
    ) -> None:
        super().__init__(language, formdata, **data)
        self.unit.choices = [
            ("hours", language.gettext("hours")),
            ("days", language.gettext("days")),
        ]

    def change_input(self) -> ChangeInput:
        return ChangeInput(extra=(self.number("length") or 0) * _DURATION_BY_UNIT[self.unit.data])


class SeatForm(ActInputForm):
    """Seats are numbered from 1 on pages."""

    seat = SelectField(N_("Seat"), [whole_number], validate_choice=False)

    def offer(self, page: ActPage) -> None:
        language = self.locale_language
        self.seat.choices = [
            (
                str(seat.number + 1),
                language.gettext(
                    "Seat %(seat)s: %(name)s",
                    seat=seat.number + 1,
                    name=bot_label(seat.name, seat.bot_level, language)
                    if seat.is_bot
                    else seat.name,
                ),
            )
            for seat in page.seats
        ]
        if not self.seat.data:
            self.seat.data = _first_choice(page)

    def change_input(self) -> ChangeInput:
        return ChangeInput(seat=(self.number("seat") or 0) - 1)


class BotForm(SeatForm):
    level = BotLevelField()

    def offer(self, page: ActPage) -> None:
        super().offer(page)
        self.level.offer(self)

    def change_input(self) -> ChangeInput:
        return ChangeInput(seat=(self.number("seat") or 0) - 1, bot_level=self.text("level"))


class OfferForm(SeatForm):
    """Offers a seat by name or by address; without both, by a link."""

    name = StringField(
        N_("The person's name"), [one_line], render_kw={"maxlength": MAX_NAME_LENGTH}
    )
    address = StringField(
        N_("The person's email address"),
        [one_line],
        render_kw={"maxlength": 254, "autocomplete": "off"},
    )

    def change_input(self) -> ChangeInput:
        seat = (self.number("seat") or 0) - 1
        return ChangeInput(seat=seat, name=self.text("name"), address=self.text("address"))


class RenameForm(SeatForm):
    needs_input = True
    name = StringField(N_("New name"), [one_line], render_kw={"maxlength": MAX_NAME_LENGTH})

    def change_input(self) -> ChangeInput:
        return ChangeInput(seat=(self.number("seat") or 0) - 1, name=self.text("name"))


class RewindForm(ActInputForm):
    turn = SelectField(N_("Go back to after"), [whole_number], validate_choice=False)

    def offer(self, page: ActPage) -> None:
        language = self.locale_language
        self.turn.choices = [
            (
                str(turn.seq),
                language.gettext("turn %(turn)s: %(name)s", turn=turn.seq, name=turn.name)
                if turn.name
                else language.gettext("turn %(turn)s", turn=turn.seq),
            )
            for turn in page.turns
        ]
        if not self.turn.data and page.turns:
            self.turn.data = str(page.turns[0].seq)

    def change_input(self) -> ChangeInput:
        return ChangeInput(turn=self.number("turn"))


class ResendForm(ActInputForm):
    email = SelectField(N_("Email"), [whole_number], validate_choice=False)

    def offer(self, page: ActPage) -> None:
        self.needs_input = not page.emails
        self.email.choices = [
            (
                str(email.id),
                f"{email_name(email.kind, self.locale_language)}, {email.name}: {email.reason}",
            )
            for email in page.emails
        ]
        if not self.email.data and page.emails:
            self.email.data = str(page.emails[0].id)

    def change_input(self) -> ChangeInput:
        return ChangeInput(email_id=self.number("email"))


INPUT_FORMS: Final[dict[GameRight, type[ActInputForm]]] = {
    GameRight.NUDGE: ActInputForm,
    GameRight.EXTEND: ExtendForm,
    GameRight.PAUSE: ActInputForm,
    GameRight.RESUME: ActInputForm,
    GameRight.PLAY_NEUTRAL: ActInputForm,
    GameRight.OPEN_SEAT: SeatForm,
    GameRight.OFFER_SEAT: OfferForm,
    GameRight.WITHDRAW_OFFER: SeatForm,
    GameRight.SEAT_BOT: BotForm,
    GameRight.RENAME_SEAT: RenameForm,
    GameRight.REWIND: RewindForm,
    GameRight.CANCEL_GAME: ActInputForm,
    GameRight.HAND_OVER_TABLE: SeatForm,
    GameRight.ANNOUNCE_TO_TABLE: ActInputForm,
    GameRight.RESEND_EMAIL: ResendForm,
}
"""The acts that have a page, with their forms."""


def _first_choice(page: ActPage) -> str:
    """Return the seat that the act is most likely about: the open one to fill, or else the one that is awaited.

    It is never the seat of a host who acts at the table, unless there is no other.
    """
    fills_seat = page.act in {GameRight.OFFER_SEAT, GameRight.SEAT_BOT}
    seats = [seat for seat in page.seats if not (page.is_at_table and seat.is_host)]
    if page.act == GameRight.OPEN_SEAT:
        seats = [seat for seat in seats if not (seat.is_bot or seat.is_open)]
    likely_seats = [seat for seat in seats if (seat.is_open if fills_seat else seat.is_awaited)]
    if page.act == GameRight.WITHDRAW_OFFER:
        offered_seats = {offer.seat for offer in page.offers if offer.outcome == "open"}
        likely_seats = [seat for seat in page.seats if seat.number in offered_seats]
    if page.act == GameRight.HAND_OVER_TABLE:
        likely_seats = [
            seat for seat in page.seats if not (seat.is_host or seat.is_bot or seat.is_open)
        ]
    return str((likely_seats or seats or list(page.seats))[0].number + 1)
