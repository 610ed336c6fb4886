"""The recipient's request to join a club was declined."""

from webapp.clubs.emails.club_email import ClubAnswerEmail
from webapp.kernel.i18n import N_


class ClubDeclined(ClubAnswerEmail):
    kind = "club-declined"
    label = N_("Request to a club declined")
    is_yes = False


EMAIL = ClubDeclined()
