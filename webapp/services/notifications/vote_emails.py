"""Build the contexts of emails about votes; or find that they are superseded."""

from webapp.services.notifications.email_context import VoteContext
from webapp.services.notifications.email_sources import EmailSource, Superseded, envelope_for
from webapp.services.play.summaries import seat_summaries, table_summary
from webapp.services.play.vote_rules import ShownVote, current_vote, shown_vote
from webapp.store.clock.votes import decode_vote


def vote_opened(source: EmailSource) -> VoteContext:
    """Return what is sent to people who have a vote. Raises Superseded once they have answered or can't any more."""
    context = _context(source)
    game, stored_vote = source.game, decode_vote(source.notification.vote)
    assert game is not None
    assert stored_vote is not None
    if current_vote(game.row, [stored_vote], now=source.now) is None:
        raise Superseded("moved-on")
    if not context.vote.may_answer:
        raise Superseded("answered")
    return context


def vote_ended(source: EmailSource) -> VoteContext:
    """Return what everyone at the table is sent. Raises Superseded unless there is an outcome to tell."""
    context = _context(source)
    if context.vote.outcome is None:
        raise Superseded("moved-on")
    return context


def _context(source: EmailSource) -> VoteContext:
    game, vote = source.game, _vote(source)
    if game is None:
        raise Superseded("no-game")
    seat = game.row.seat_of(source.notification.account_id)
    if seat is None:
        raise Superseded("not-seated")
    return VoteContext(
        envelope=envelope_for(source),
        table=table_summary(game.row),
        seats=seat_summaries(game.row, me=seat.number),
        vote=vote,
    )


def _vote(source: EmailSource) -> ShownVote:
    vote = decode_vote(source.notification.vote)
    if vote is None:
        raise Superseded("no-vote")
    return shown_vote(vote, viewer_id=source.notification.account_id)
