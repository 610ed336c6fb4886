"""What the emails about votes have in common. Neither says who voted for what."""

from collections.abc import Mapping, Sequence

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.tx import Tx
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import one_line
from webapp.play.queries.email_facts import read_votes
from webapp.play.queries.votes import VoteRow
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.play.votes import ShownVote, shown_vote
from webapp.wording.votes import proposal_sentence


class VoteContext(EmailContext, frozen=True, kw_only=True):
    """A vote of the players, open or over: what is proposed and how many agree, never who."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    vote: ShownVote


class VoteEmail(Email[VoteRow | None, VoteContext]):
    """An email about a vote, to someone who has a seat."""

    def read_facts(
        self, tx: Tx, sources: Sequence[EmailSource[VoteRow | None]]
    ) -> Mapping[int, VoteRow | None]:
        return read_votes(tx, [source.notification.id for source in sources])

    def context(self, source: EmailSource[VoteRow | None]) -> VoteContext:
        game, seat = source.require_seated()
        vote = source.require_facts(DropReason.NO_VOTE)
        if vote is None:
            raise Superseded(DropReason.NO_VOTE)
        return VoteContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(game.row, me=seat),
            vote=shown_vote(vote, viewer_id=source.notification.account_id),
        )

    def variables(self, context: VoteContext, locale: EmailLocale) -> Mapping[str, object]:
        proposer = one_line(context.seats[context.vote.seat].name)
        return {"proposal": proposal_sentence(context.vote, proposer, locale.language)}
