"""A player has deleted their account, and their seat is open."""

from collections.abc import Mapping, Sequence

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.public_acts import ShownAct
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.sections import act_text
from webapp.play.queries.email_facts import read_hand_overs
from webapp.play.summaries import TableSummary, table_summary


class PlayerLeftContext(EmailContext, frozen=True, kw_only=True):
    """The seat of a player who has left for good."""

    table: TableSummary
    seat: int
    new_host: ShownAct | None = None
    """If the player was the host: who is the host now."""


class PlayerLeft(Email[ShownAct | None, PlayerLeftContext]):
    kind = "player-left"
    label = N_("A player left")

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[ShownAct | None]]
    ) -> Mapping[int, ShownAct | None]:
        return read_hand_overs(tx, [source.notification.id for source in sources])

    def context(self, source: EmailSource[ShownAct | None]) -> PlayerLeftContext:
        """Return what the others are sent. Raises Superseded once the seat is taken."""
        game, _ = source.require_seated()
        seat = source.notification.dedup_key
        if not game.status.is_under_way or not game.row.seats[seat].is_free:
            raise Superseded(DropReason.MOVED_ON)
        return PlayerLeftContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seat=seat,
            new_host=source.facts,
        )

    def variables(self, context: PlayerLeftContext, locale: EmailLocale) -> Mapping[str, object]:
        new_host = context.new_host
        return {"new_host_text": None if new_host is None else act_text(new_host, locale)}


EMAIL = PlayerLeft()
