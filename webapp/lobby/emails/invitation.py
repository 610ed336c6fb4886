"""Someone invites the recipient to a table: by an address that they typed, or to a rematch without knowing it."""

from collections.abc import Mapping, Sequence

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.lobby.invitations import invitation_token
from webapp.lobby.queries.email_facts import InvitationFacts, read_invitations
from webapp.mail.email import Email, EmailSource, Superseded
from webapp.mail.envelope import EmailContext, OptOuts
from webapp.mail.queries.email_facts import Addressee
from webapp.play.access import LoadedGame
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary


class InvitationContext(EmailContext, frozen=True, kw_only=True):
    """The table and the link."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    host: str
    """The name of the player who sent the invitation."""
    token: str
    is_rematch: bool = False
    """Whether they have played together before, and the inviter does not know the address."""


class Invitation(Email[InvitationFacts, InvitationContext]):
    kind = "invitation"
    label = N_("Invitation")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[InvitationFacts]]
    ) -> Mapping[int, InvitationFacts]:
        return read_invitations(tx, [source.notification.id for source in sources])

    def addressee(self, facts: InvitationFacts) -> Addressee:
        return facts.addressee

    def opt_outs(self, source: EmailSource[InvitationFacts]) -> OptOuts:
        return source.single_opt_out()

    def context(self, source: EmailSource[InvitationFacts]) -> InvitationContext:
        """Return the invitation. Raises Superseded if it was accepted, or no seat is left for its recipient."""
        game = source.require_game()
        if not game.status.is_before_deal:
            raise Superseded(DropReason.MOVED_ON)
        facts = source.require_facts(DropReason.ACCEPTED)
        if facts.is_accepted or facts.nonce is None:
            raise Superseded(DropReason.ACCEPTED)
        _require_seat_for(source.notification.recipient_id, game)
        return InvitationContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(game.row, me=None),
            host=facts.inviter or game.row.host_name,
            token=invitation_token(facts.nonce, source.keys),
            is_rematch=facts.is_rematch,
        )


def _require_seat_for(recipient_id: int | None, game: LoadedGame) -> None:
    """Raise Superseded if the table has no free seat or the recipient already has one."""
    seated_account_ids = {seat.account_id for seat in game.row.seats} - {None}
    if recipient_id in seated_account_ids:
        raise Superseded(DropReason.SEATED)
    if not any(seat.is_free for seat in game.row.seats):
        raise Superseded(DropReason.FULL)


EMAIL = Invitation()
