"""A moderator has warned the recipient, or changed their name."""

from webapp.kernel.i18n import N_
from webapp.moderation.emails.sanction_email import SanctionEmail


class WarningEmail(SanctionEmail):
    kind = "warning"
    label = N_("Warning")


EMAIL = WarningEmail()
