"""Executes the commands of an email for the player who has sent it, each as if they had pressed its button."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

import msgspec

from engine.actions import Action
from engine.errors import IllegalAction
from engine.notation import write_action
from engine.plans import Plan, PlannedAction, require_plannable
from engine.view import View, legal_actions
from webapp.accounts.person import Person
from webapp.clock.absences import (
    MAX_ABSENCE_DAYS,
    change_absence,
    end_absence,
    own_absences,
    start_holiday,
)
from webapp.clock.local_periods import LocalPeriod, end_of, local_day
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import Language, language_for, zone_for
from webapp.kernel.redacted import Redacted
from webapp.kernel.refusals import (
    DenialReason,
    FieldErrors,
    LimitReached,
    NotAllowed,
    NotFound,
    StaleTurn,
)
from webapp.kernel.tx import Tx
from webapp.mail.inbound.refused_commands import named_action
from webapp.mail.inbound.typed_days import period_until
from webapp.mail.reply_commands import (
    Command,
    Problem,
    ProblemKind,
    command_in,
    day_and_time_in,
    is_none,
    parse_commands,
    resolve,
)
from webapp.mail.reply_words import Verb
from webapp.mail.sections import recipient_perspective
from webapp.play.access import GameAccess, LoadedGame, game_for
from webapp.play.summaries import seat_summaries
from webapp.play.talk.talk import MAX_MESSAGE_LENGTH, MessageInput, checked_message, send_message
from webapp.play.turns.planning import discard_plan, plan_page, save_plan
from webapp.play.turns.turn_holding import play_or_hold, withdraw_turn
from webapp.play.turns.turns import update_for
from webapp.wording import replies, times
from webapp.wording.actions import action_name
from webapp.wording.error_messages import refusal
from webapp.wording.perspective import Perspective
from webapp.wording.times import absence_period_sentence


class CommandOutcome(Redacted, frozen=True, array_like=True):
    """One command as it was typed, and its outcome in the player's language."""

    typed: str
    sentence: str
    is_done: bool
    public_reason: str = ""
    """Why it was not done, without cards, moves and typed words; empty if that can't be said without them."""
    action: str = ""
    """The move that was understood, but not played without a proof, in the notation of the engine."""
    is_help: bool = False
    """Whether it asks for the list of commands."""


class ReplyOutcome(Redacted, frozen=True, kw_only=True):
    """All commands of an email that is answered, in their order."""

    commands: tuple[CommandOutcome, ...] = ()
    is_proven: bool = True
    """Whether it was proven that the email came from the player: nothing is played otherwise."""
    understood_action: str = ""
    """The one move that was understood in an email without a proof; empty if there was none, or several."""
    other_domain: str | None = None
    """The domain of an email that came from another address, empty if it can't be shown; None if it came from the player's own one.

    Nothing that was typed in such an email is in the answer: anyone may have written it.
    """


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(ReplyOutcome)


_HARMLESS_VERBS: Final = frozenset({Verb.HELP, Verb.STATUS, Verb.SAY, Verb.AWAY, Verb.BACK})
"""The commands that are executed even after a command that was refused."""
_CHOICE_VERBS: Final = frozenset({Verb.GOAL, Verb.WAY, Verb.GOLD})
"""Choices that a turn can lead to; they name no card of the hand, whose numbers have changed by then."""


class ReplyTurn(NamedTuple):
    """The turn that an email answers, and the player who has sent it."""

    slug: str
    seq: int
    person: Person
    email_id: int


class _Position(NamedTuple):
    """What a command can mean in a game, for the player who has sent it."""

    view: View
    menu: Sequence[Action]
    perspective: Perspective
    require_allowed: Callable[[Action], object]
    """Raises IllegalAction, with the reason, for what is not in the menu."""


def _require_legal(game: LoadedGame, seat: int, now: datetime, action: Action) -> None:
    """Raise IllegalAction unless the rules allow an action now. Change nothing."""
    update_for(game, seat, action=action, by="player", now=now)


def _require_plannable(view: View, action: Action) -> None:
    """Raise IllegalAction unless an action can be planned."""
    if isinstance(action, PlannedAction):
        require_plannable(view, action)


class _NotDone(Exception):
    """A command is not executed; the message is a sentence for the player.

    ``public_reason`` says the same without cards, moves and typed words, if that is possible.
    """

    def __init__(self, sentence: str, *, public_reason: str = "") -> None:
        super().__init__(sentence)
        self.public_reason = public_reason


class _NotDoneForAll(_NotDone):
    """A command is not executed for a reason that has nothing to do with cards or moves."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, public_reason=sentence)


class _NotProven(_NotDoneForAll):
    """A command is understood, but it is not proven who has sent it; ``action`` is the move that it would play."""

    def __init__(self, sentence: str, action: Action | None) -> None:
        super().__init__(sentence)
        self.action = action


class Execution:
    """The commands of one email, executed one after another in one transaction.

    ``may_act`` says whether it is proven who has sent it; nothing is changed otherwise.
    """

    def __init__(self, tx: Tx, turn: ReplyTurn, *, may_act: bool, now: datetime) -> None:
        self._tx, self._turn, self._may_act, self._now = tx, turn, may_act, now
        self._language: Language = language_for(turn.person.language)
        self._has_played = self._has_held = self._has_refused = False

    def outcomes(self, lines: Sequence[str]) -> Iterator[CommandOutcome]:
        """Execute the commands in these lines; yield the outcome of each."""
        commands = parse_commands(lines)
        if not commands:
            text = self._language.gettext("Your email has no command above the quoted text.")
            yield CommandOutcome("", text, is_done=False, public_reason=text)
        for number, command in enumerate(commands):
            try:
                sentence = self._execute(number, command)
            except _NotDone as refusal:
                # What follows may have been meant for another position, or be the rest of a misread command.
                self._has_refused |= not isinstance(refusal, _NotProven)
                action = refusal.action if isinstance(refusal, _NotProven) else None
                yield CommandOutcome(
                    command.typed,
                    str(refusal),
                    is_done=False,
                    public_reason=refusal.public_reason,
                    action="" if action is None else write_action(action),
                )
            else:
                is_help = command.verbs == {Verb.HELP}
                yield CommandOutcome(command.typed, sentence, is_done=True, is_help=is_help)

    def _execute(self, number: int, command: Command) -> str:
        """Execute one command and return what was done. Raises _NotDone."""
        if self._has_refused and not command.verbs <= _HARMLESS_VERBS:
            raise _NotDoneForAll(
                self._language.gettext("Skipped, because the command before it wasn't done.")
            )
        if command.verbs == {Verb.HELP}:
            return self._language.gettext("Here are all commands.")
        if command.verbs == {Verb.STATUS}:
            return self._language.gettext("This is how the game stands.")
        try:
            # What a refused command has written is taken back, and the others count.
            with self._tx.connection.begin_nested():
                return self._change(number, command)
        except NotFound:
            raise _NotDoneForAll(
                self._language.gettext("You no longer have a seat at this table.")
            ) from None
        except StaleTurn:
            raise self._late() from None
        except IllegalAction as refused:
            raise _NotDone(refusal(refused.reason, self._language).text) from None
        except (NotAllowed, FieldErrors) as refused:
            raise self._not_done(refused) from None

    def _not_done(self, refused: NotAllowed | FieldErrors) -> _NotDone:
        """Return why something is not allowed; for a limit, also when it is possible again."""
        public_reason = self._language.gettext(
            "That isn't possible now. The table's page says why."
        )
        if isinstance(refused, FieldErrors):
            return _NotDoneForAll(public_reason)
        reason = refused.reason.value
        if not isinstance(refused, LimitReached):
            sentence = self._language.gettext(reason, **refused.params)
            return _NotDone(sentence, public_reason=public_reason)
        possible_at = times.absolute_time(
            refused.possible_at,
            now=self._now,
            zone=zone_for(self._turn.person.zone),
            language=self._language,
        )
        sentence = self._language.gettext(reason, max=refused.limit, time=possible_at)
        return _NotDone(sentence, public_reason=public_reason)

    def _change(self, number: int, command: Command) -> str:
        match tuple(command.verbs):
            case (Verb.SAY,):
                return self._say(number, command, self._access("play"))
            case (Verb.UNDO,):
                return self._undo(self._access("change"))
            case (Verb.PLAN,):
                return self._plan(command, self._access("change"))
            case (Verb.AWAY,):
                return self._leave(command)
            case (Verb.BACK,):
                return self._return(command)
        return self._play(command, self._access("play"))

    def _access(self, mode: str) -> GameAccess:
        turn = self._turn
        access = game_for(self._tx, turn.slug, turn.person, mode=mode)  # type: ignore[arg-type] # one of two literals
        if access.seat is None:
            raise NotFound
        return access

    def _say(self, number: int, command: Command, access: GameAccess) -> str:
        if not command.rest:
            raise _NotDoneForAll(self._language.gettext("Say what? Write: say good luck."))
        self._check_length(command.rest)
        self._require_proof()
        message = MessageInput(command.rest, f"email {self._turn.email_id} {number}")
        send_message(self._tx, access, message)
        return self._language.gettext("Said to the table.")

    def _check_length(self, text: str) -> None:
        """Raises _NotDone if a text is too long for a message to the table."""
        try:
            checked_message(text)
        except FieldErrors as errors:
            if "too-long" in {error.code for error in errors.errors}:
                raise _NotDoneForAll(
                    self._language.gettext(
                        "That's too long, so nothing was said: a message has at most %(limit)s characters.",
                        limit=MAX_MESSAGE_LENGTH,
                    )
                ) from None

    def _undo(self, access: GameAccess) -> str:
        self._require_proof()
        if not withdraw_turn(self._tx, access, seq=access.game.seq):
            raise _NotDoneForAll(
                self._language.gettext(
                    "There's no turn to take back. A move can be undone only while it's held, before it enters the game."
                )
            )
        self._has_held = False
        return self._language.gettext("Taken back. You can play another move.")

    def _plan(self, command: Command, access: GameAccess) -> str:
        """Plan an action for the next turn instead of what was planned, or nothing."""
        if is_none(command.rest):
            self._require_proof()
            discard_plan(self._tx, access)
            return self._language.gettext("Your plan is dropped.")
        if self._has_played:
            raise _NotDoneForAll(
                self._language.gettext(
                    "Your hand and its numbers have changed, so nothing is planned. Look at them in this email, then answer with your plan."
                )
            )
        page = plan_page(access)
        if page.denial is not None:
            raise _NotDoneForAll(
                self._language.gettext("It's your turn now. Answer with the move itself.")
                if page.denial is DenialReason.PLANS_OWN_TURN
                else self._language.gettext("You can't plan a turn now.")
            )
        perspective = recipient_perspective(page.seats, self._language)
        action = self._resolved(
            command_in(command.rest),
            _Position(page.view, page.menu, perspective, partial(_require_plannable, page.view)),
        )
        self._require_proof()
        plan = Plan((action,))  # type: ignore[arg-type] # one of the menu
        save_plan(self._tx, access, plan, seq=access.game.seq)
        name = action_name(action, perspective, view=page.view)
        if page.plan is not None and page.plan.plan is not None:
            return self._language.gettext(
                "Planned for your next turn, instead of what you had planned: %(action)s. Answer “plan none” to drop it.",
                action=name,
            )
        return self._language.gettext(
            "Planned for your next turn: %(action)s. Answer “plan none” to drop it.", action=name
        )

    def _leave(self, command: Command) -> str:
        """Be away from now until a day; move the end of an absence that has begun."""
        zone = zone_for(self._turn.person.zone)
        period = period_until(day_and_time_in(command.rest), local_day(self._now, zone))
        if period is None:
            raise _NotDoneForAll(self._language.gettext("Until when? Write: away until 24 Dec."))
        self._require_proof()
        try:
            self._start_or_move_absence(period)
        except FieldErrors:
            raise _NotDoneForAll(
                self._language.gettext(
                    "You can't be away until then: it has passed, is more than %(days)s days ahead, or comes after another absence of yours begins.",
                    days=MAX_ABSENCE_DAYS,
                )
            ) from None
        until = absence_period_sentence(
            self._now, end_of(period, zone), now=self._now, zone=zone, language=self._language
        )
        return self._language.gettext("%(until)s. Answer “back” to end that.", until=until)

    def _start_or_move_absence(self, period: LocalPeriod) -> None:
        """Raises FieldErrors."""
        tx, person = self._tx, self._turn.person
        begun = [each for each in own_absences(tx, person) if each.has_begun]
        if begun:
            change_absence(tx, person, begun[0].id, period)
        else:
            start_holiday(tx, person, period)

    def _return(self, command: Command) -> str:
        """End the absence that has begun. "Back on Monday" says when, and ends nothing."""
        if command.rest:
            raise _NotDoneForAll(
                self._language.gettext(
                    "Once you're here again, answer with “back” and nothing else."
                )
            )
        self._require_proof()
        person = self._turn.person
        begun = [each for each in own_absences(self._tx, person) if each.has_begun]
        for absence in begun:
            end_absence(self._tx, person, absence.id)
        if not begun:
            return self._language.gettext("You weren't away, so nothing has changed.")
        return self._language.gettext("Welcome back. You're no longer away.")

    def _play(self, command: Command, access: GameAccess) -> str:
        if not command.verbs:
            raise _NotDone(
                replies.no_command_sentence(command.typed, self._language),
                public_reason=self._language.gettext("Your email doesn't begin with a command."),
            )
        game, seat = access.game, access.seat
        assert seat is not None
        if game.status == GameStatus.PAUSED:
            raise _NotDoneForAll(self._language.gettext("The game is paused."))
        row = game.row
        if self._has_held:
            raise _NotDoneForAll(
                self._language.gettext(
                    "You've already set your turn in this email. To change it, answer with the other move alone."
                )
            )
        is_choice = self._has_played and command.verbs <= _CHOICE_VERBS
        is_same_turn = row.turn_seq == self._turn.seq or is_choice
        if row.awaiting != seat or not is_same_turn or game.status != GameStatus.RUNNING:
            raise self._late()
        view = game.view(seat)
        perspective = recipient_perspective(
            seat_summaries(row, me=seat, gone=view.gone), self._language
        )
        require_legal = partial(_require_legal, game, seat, self._now)
        position = _Position(view, legal_actions(view), perspective, require_legal)
        action = self._resolved(command, position)
        self._require_proof(action)
        held_turn = play_or_hold(self._tx, access, action, seq=game.seq)
        self._has_played, self._has_held = held_turn is None, held_turn is not None
        if held_turn is None:
            return replies.played_sentence(action, perspective, view=view)
        zone = zone_for(self._turn.person.zone)
        due_text = times.absolute_time(
            held_turn.due_at, now=self._now, zone=zone, language=self._language
        )
        return replies.held_sentence(action, perspective, view=view, due_text=due_text)

    def _resolved(self, command: Command, position: _Position) -> Action:
        """Return the action of the menu that a command means. Raises _NotDone."""
        view, perspective = position.view, position.perspective
        found = resolve(command, view, position.menu, perspective.names)
        if not isinstance(found, Problem):
            return found
        match found.kind:
            case ProblemKind.NO_COMMAND:
                sentence = replies.no_command_sentence(found.word, self._language)
            case ProblemKind.UNKNOWN_WORD:
                sentence = replies.unknown_word_sentence(found.word, self._language)
            case ProblemKind.SEVERAL:
                sentence = replies.several_sentence(found.actions, perspective, view=view)
            case _:
                reason = self._reason(command, position)
                sentence = replies.not_possible_sentence(
                    reason, found.actions, perspective, view=view
                )
        raise _NotDone(sentence)

    def _reason(self, command: Command, position: _Position) -> str:
        """Return why the rules refuse what a command names; empty if that can't be said."""
        action = named_action(command, position.view, position.perspective.names)
        if action is None:
            return ""
        try:
            position.require_allowed(action)
        except IllegalAction as refused:
            return refusal(refused.reason, self._language).text
        return ""

    def _require_proof(self, action: Action | None = None) -> None:
        """Raise _NotProven unless it is proven who has sent the email."""
        if not self._may_act:
            raise _NotProven(self._language.gettext("Understood, but not done."), action)

    def _late(self) -> _NotDone:
        return _NotDoneForAll(
            self._language.gettext(
                "This turn is over already, so nothing was played. This is how the game stands."
            )
        )


def execute(
    tx: Tx, turn: ReplyTurn, lines: Sequence[str], *, may_act: bool
) -> tuple[CommandOutcome, ...]:
    """Execute the commands in these lines and return their outcomes. ``may_act``: whether it is proven who has sent them."""
    return tuple(Execution(tx, turn, may_act=may_act, now=tx.now).outcomes(lines))


def encode_outcome(outcome: ReplyOutcome) -> str:
    return _ENCODER.encode(outcome).decode()


def decode_outcome(text: str) -> ReplyOutcome:
    return _DECODER.decode(text)
