"""Send an email again that was given up, or try one now that waits."""

import argparse
from typing import Final

from webapp.kernel.i18n import N_
from webapp.kernel.refusals import DenialReason, FieldError, FieldErrors, NotAllowed
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.mail.queries import pending_emails
from webapp.mail.queries.pending_emails import GameEmail
from webapp.moderation.performing import newest_unsent_email
from webapp.play.changes.acts import RUNNING, Act, ActCommand, ActInput, ActLimit, EmailField
from webapp.play.changes.public_change import (
    ChangeSource,
    EmailSentAgain,
    PlannedChange,
    PublicChange,
)
from webapp.play.queries.rows import GameRow

_KINDS_ABOUT_A_TURN: Final = frozenset({"your-turn", "reminder", "nudge"})
_KINDS_BEFORE_THE_DEAL: Final = frozenset({"invitation", "ready-check"})


class ResendEmailInput(ActInput, frozen=True, kw_only=True):
    """The email that is sent again."""

    email_id: int | None = None


class ResendEmailAct(Act[ResendEmailInput]):
    right = GameRight.RESEND_EMAIL
    label = N_("Resend email")
    summary = N_("Send an email again")
    announcement = N_("An email to %(name)s is sent again.")
    input_type = ResendEmailInput
    fields = (EmailField(N_("Email")),)
    no_choice_text = N_("No email about this game was refused, so there's none to send again.")
    command = ActCommand(
        "game", "resend", "send the newest email again that could not be delivered", order=9
    )
    group = ("reach", 2)
    statuses = RUNNING
    needs = "an unsent email"
    limit = ActLimit(20)
    is_beyond_shared_limit = True
    informs = "no one"

    def plan(self, source: ChangeSource, given: ResendEmailInput) -> PlannedChange:
        """Send an email again that was given up, or try one now that waits; whether it still applies is checked again when it is sent."""
        row = source.game.row
        if given.email_id is None:
            raise FieldErrors(FieldError("email", "required"))
        email = pending_emails.find_of_game(source.tx, row.id, given.email_id)
        # Whether an offer of a seat was delivered would tell about its recipient.
        if email is None or email.kind == "seat-offer":
            raise FieldErrors(FieldError("email", "unknown"))
        if email.status == "dropped" or _is_email_superseded(email, row):
            raise NotAllowed(DenialReason.EMAIL_SUPERSEDED)
        if email.status != "failed" and not email.is_waiting:
            raise NotAllowed(DenialReason.EMAIL_NOT_FAILED)

        seat = row.seat_of(email.account_id)
        change = PublicChange(
            seat=None if seat is None else seat.number, account_id=email.account_id
        )
        return PlannedChange(change=change, values=(EmailSentAgain(given.email_id, email),))

    def read_arguments(self, tx: Tx, arguments: argparse.Namespace) -> ResendEmailInput:
        return ResendEmailInput(email_id=newest_unsent_email(tx, arguments.slug))


def _is_email_superseded(email: GameEmail, row: GameRow) -> bool:
    if email.kind in _KINDS_ABOUT_A_TURN:
        return email.seq != row.turn_seq
    return email.kind in _KINDS_BEFORE_THE_DEAL and not row.status.is_before_deal


ACT = ResendEmailAct()
