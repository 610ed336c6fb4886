"""Forms of acts on people and of reports, and the proof that a moderator has seen what an act will do."""

from collections.abc import Sequence
from typing import Final, cast

from wtforms import HiddenField, RadioField, StringField, TextAreaField

from webapp.accounts.names import MAX_NAME_LENGTH
from webapp.kernel.i18n import N_
from webapp.kernel.keyring import hash_of
from webapp.kernel.refusals import MAX_REASON_LENGTH, NotFound
from webapp.moderation.new_reports import MAX_COMPLAINT_LENGTH
from webapp.moderation.report_decisions import Ruling
from webapp.moderation.sanctions import MAX_BAN_DAYS, SanctionKind, SanctionPreview, SanctionRequest
from webapp.web.forms import PageForm, one_line, optional_number

_DEFAULT_DAYS: Final = "7"
_MAX_DIGITS: Final = 3
_MAX_MESSAGE_DIGITS: Final = 9


class SanctionForm(PageForm):
    """An act on a person. It is sent twice: ``seen`` proves that the preview was of the same text."""

    reason = TextAreaField(N_("Reason"), render_kw={"maxlength": MAX_REASON_LENGTH, "rows": 4})
    days = StringField(
        N_("Days"),
        [optional_number],
        default=_DEFAULT_DAYS,
        render_kw={"inputmode": "numeric", "max": MAX_BAN_DAYS},
    )
    name = StringField(N_("New name"), [one_line], render_kw={"maxlength": MAX_NAME_LENGTH})
    form_id = HiddenField(validators=[one_line])
    seen = HiddenField(validators=[one_line])
    entry = HiddenField(validators=[optional_number])
    """The newest act on the person when the preview was shown."""

    def sanction_request(self, kind: str) -> SanctionRequest:
        """Return what the moderator wishes."""
        return SanctionRequest(
            kind=cast("SanctionKind", kind),
            reason=self.text("reason"),
            form_id=self.text("form_id"),
            days=self.number("days"),
            name=self.text("name"),
            expected_entry=self.number("entry"),
        )

    def confirm(self, sanction_request: SanctionRequest, preview: SanctionPreview) -> None:
        """Let the form that is shown with this preview perform the request."""
        self.seen.data, self.entry.data = fingerprint(sanction_request), str(preview.entry)

    def ask_again(self) -> None:
        """Let the form that is shown after a refusal ask for a preview first."""
        self.seen.data = self.entry.data = ""

    def is_confirmed(self, sanction_request: SanctionRequest) -> bool:
        """Return whether the moderator has seen a preview of exactly this."""
        return self.text("seen") == fingerprint(sanction_request)


class DecisionForm(SanctionForm):
    """A decision on a report. Who sent it reads the answer, never the reason of a sanction."""

    decision = RadioField(N_("What happens"), validate_choice=False, default="dismiss")
    answer = TextAreaField(
        N_("Reply to the reporter"), render_kw={"maxlength": MAX_REASON_LENGTH, "rows": 3}
    )

    def ruling(self, decision: str) -> Ruling:
        """Return what the moderator decides. The answer to an appeal is also why a ban is lifted."""
        sanction_request, answer = self.sanction_request(decision), self.text("answer")
        return Ruling(
            sanction_request._replace(reason=answer) if decision == "unban" else sanction_request,
            answer,
        )


class ReportForm(PageForm):
    """A report by a player; ``seat`` is empty for the table itself, and counts for nothing if it is about a ``message``."""

    message = HiddenField(default="")

    seat = RadioField(N_("Who is it about?"), validate_choice=False, default="")
    kind = RadioField(N_("What is it about?"), validate_choice=False, default="name")
    complaint = TextAreaField(
        N_("What happened?"), render_kw={"maxlength": MAX_COMPLAINT_LENGTH, "rows": 5}
    )

    def offer(self, seats: Sequence[tuple[str, str]], kinds: Sequence[tuple[str, str]]) -> None:
        """Set the people and the kinds to choose from."""
        table = self.locale_language.gettext("The table itself, or its name")
        self.seat.choices = [*seats, ("", table)]
        self.kind.choices = list(kinds)

    def seat_number(self) -> int | None:
        """Return the chosen seat; None for the table itself."""
        seat = self.seat.data or ""
        return int(seat) if seat.isascii() and seat.isdigit() and len(seat) < _MAX_DIGITS else None

    def message_number(self) -> int | None:
        """Return the chosen message; None if the report is about none. Raises NotFound for what is no number."""
        number = self.message.data or ""
        if not number:
            return None
        if not (number.isascii() and number.isdigit() and len(number) <= _MAX_MESSAGE_DIGITS):
            raise NotFound
        return int(number)


class RemovalForm(PageForm):
    """Removes a reported message; ``form_id`` is new in each form that is shown."""

    reason = TextAreaField(
        N_("Message to its author"), render_kw={"maxlength": MAX_REASON_LENGTH, "rows": 3}
    )
    form_id = HiddenField(validators=[one_line])


class AppealForm(PageForm):
    complaint = TextAreaField(
        N_("Why is it wrong?"), render_kw={"maxlength": MAX_COMPLAINT_LENGTH, "rows": 5}
    )


def fingerprint(sanction_request: SanctionRequest) -> str:
    """Return what tells two wishes apart."""
    return hash_of(
        "\n".join(
            (
                sanction_request.kind,
                str(sanction_request.days),
                sanction_request.name,
                sanction_request.reason,
            )
        )
    ).hex()
