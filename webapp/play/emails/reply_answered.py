"""The answer to an email from the recipient: the outcome of each command, and the position of the game now."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.actions import Action
from engine.notation import write_action
from engine.view import View, legal_actions
from webapp.clock.held_turn import HeldTurn
from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.i18n import N_
from webapp.kernel.tx import Tx
from webapp.mail.blocks import Choice
from webapp.mail.email import Email, EmailLocale, EmailSource, Superseded
from webapp.mail.envelope import EmailContext
from webapp.mail.inbound.execution import ReplyOutcome, decode_outcome
from webapp.mail.queries.replies import read_outcomes
from webapp.mail.sections import (
    MenuLinks,
    actions_section,
    perspective_with_absences,
    position_section,
)
from webapp.play.emails.game_news import without_links
from webapp.play.summaries import SeatSummary, TableSummary, seat_summaries, table_summary
from webapp.wording import replies, times
from webapp.wording.actions import action_name
from webapp.wording.perspective import Perspective
from webapp.wording.turns import awaiting_sentence


class ReplyAnsweredContext(EmailContext, frozen=True, kw_only=True):
    """The outcome of an email, and the game as its sender may see it now; ``view`` is None for someone without a seat there."""

    table: TableSummary
    seats: tuple[SeatSummary, ...]
    outcome: ReplyOutcome
    view: View | None
    menu: tuple[Action, ...] = ()
    """What the recipient can do, if it is their turn."""
    deadline_at: datetime | None = None
    held_turn: HeldTurn | None = None
    """What the recipient has set for this turn, and can still take back."""


class ReplyAnswered(Email[str, ReplyAnsweredContext]):
    kind = "reply-answered"
    label = N_("Answer to a player's email")
    is_answerable = True
    auto_submitted = "auto-replied"

    def read_facts(self, tx: Tx, sources: Sequence[EmailSource[str]]) -> Mapping[int, str]:
        return read_outcomes(tx, [source.notification.id for source in sources])

    def needed_by(self, source: EmailSource[str]) -> datetime:
        """Someone who has just written an email waits for the answer, whatever their quiet hours."""
        return source.now

    def answers_recipient(self, source: EmailSource[str]) -> bool:
        """An email from another address may be anyone's: it makes us write to no one who wants no emails."""
        return source.facts is not None and decode_outcome(source.facts).other_domain is None

    def reply_seq(self, source: EmailSource[str]) -> int | None:
        """The next answer is about the turn that waits for the recipient now, which may not be the one that this email was about."""
        row = source.require_game().row
        is_own_turn = source.own_deadline() is not None
        return row.turn_seq if is_own_turn else source.notification.seq

    def context(self, source: EmailSource[str]) -> ReplyAnsweredContext:
        outcome = decode_outcome(source.require_facts(DropReason.NO_GAME))
        game = source.require_game()
        if not game.is_dealt:
            raise Superseded(DropReason.MOVED_ON)
        own_seat = game.row.seat_of(source.notification.account_id)
        seat = None if own_seat is None else own_seat.number
        view = None if seat is None else game.view(seat)
        deadline_at = source.own_deadline()
        held_turn = game.row.clock.held_turn
        return ReplyAnsweredContext(
            envelope=self.envelope(source),
            table=table_summary(game.row),
            seats=seat_summaries(
                game.row, me=seat, gone=() if view is None else view.gone, now=source.now
            ),
            outcome=outcome,
            view=view,
            menu=() if view is None or deadline_at is None else tuple(legal_actions(view)),
            deadline_at=deadline_at,
            held_turn=None if deadline_at is None else held_turn,
        )

    def variables(self, context: ReplyAnsweredContext, locale: EmailLocale) -> Mapping[str, object]:
        commands, view, language = context.outcome.commands, context.view, locale.language
        reasons = [command.public_reason for command in commands if not command.is_done]
        shared = {
            "are_all_done": bool(commands) and all(command.is_done for command in commands),
            "is_any_done": any(command.is_done for command in commands),
            "wants_help": any(command.is_help for command in commands),
            "public_reasons": tuple(dict.fromkeys(filter(None, reasons))),
            "has_other_reasons": "" in reasons,
            # Its sender chose the domain, so no mail program should make a link of it.
            "other_domain": without_links(context.outcome.other_domain or ""),
        }
        if view is None:
            nothing = {"awaiting": "", "deadline": "", "position": (), "actions": ()}
            return shared | nothing | {"understood": None}
        perspective = perspective_with_absences(context.seats, locale)
        menu = MenuLinks(
            locale.base_url,
            context.table.slug,
            is_answerable=True,
            move_token=context.envelope.move_token,
        )
        at, now, zone = context.deadline_at, locale.now, locale.zone
        understood = _understood_choice(context, view, perspective, menu)
        return shared | {
            "understood": understood,
            "awaiting": _held_turn_sentence(context, view, perspective, locale)
            or awaiting_sentence(view, perspective),
            "deadline": at and times.deadline(at, now=now, zone=zone, language=language),
            "position": position_section(view, context.seats, perspective, menu),
            "actions": actions_section(context.menu, perspective, view=view, menu=menu)
            if context.menu and understood is None
            else (),
        }


def _understood_choice(
    context: ReplyAnsweredContext, view: View, perspective: Perspective, menu: MenuLinks
) -> Choice | None:
    """Return the one move that was understood and not played, if the recipient can still make it by a link in this email."""
    if menu.move_token is None or context.envelope.is_link_only:
        return None
    for action in context.menu:
        if write_action(action) == context.outcome.understood_action:
            return menu.choice(action, action_name(action, perspective, view=view), view)
    return None


def _held_turn_sentence(
    context: ReplyAnsweredContext, view: View, perspective: Perspective, locale: EmailLocale
) -> str:
    """Return what the recipient holds; empty if they hold nothing, or if the email may not say it."""
    held_turn = context.held_turn
    if held_turn is None or held_turn.action is None or context.envelope.is_link_only:
        return ""
    due_text = times.absolute_time(
        held_turn.due_at, now=locale.now, zone=locale.zone, language=locale.language
    )
    return replies.set_sentence(held_turn.action, perspective, view=view, due_text=due_text)


EMAIL = ReplyAnswered()
