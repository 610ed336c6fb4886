"""Send an email again that was given up, or try one now that waits."""

import argparse

from webapp.kernel.i18n import N_
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Tx
from webapp.moderation.performing import newest_unsent_email
from webapp.play.changes.acts import RUNNING, Act, ActCommand, ActInput, ActLimit, EmailField
from webapp.play.changes.game_changes import resend_email
from webapp.play.changes.public_change import ChangeSource, PlannedChange


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
        return resend_email(source, given.email_id)

    def read_arguments(self, tx: Tx, arguments: argparse.Namespace) -> ResendEmailInput:
        return ResendEmailInput(email_id=newest_unsent_email(tx, arguments.slug))


ACT = ResendEmailAct()
