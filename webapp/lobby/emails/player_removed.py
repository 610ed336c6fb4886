"""The host has removed the recipient from a table before the deal."""

from webapp.kernel.i18n import N_
from webapp.lobby.emails.seat_freed_email import SeatFreedEmail


class PlayerRemoved(SeatFreedEmail):
    kind = "player-removed"
    label = N_("Removed by the host")


EMAIL = PlayerRemoved()
