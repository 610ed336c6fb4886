"""Executes the commands of an email for the player who has sent it, each as if they had pressed its button."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from engine.actions import Action
from engine.errors import IllegalAction
from engine.view import View, legal_actions
from webapp.game_status import GameStatus
from webapp.i18n import Language, language_for, zone_for
from webapp.mail.command_words import Verb
from webapp.mail.commands import (
    Command,
    Problem,
    ProblemKind,
    parse_commands,
    resolve,
)
from webapp.mail.inbound.outcomes import CommandOutcome
from webapp.mail.sections import recipient_perspective
from webapp.services.accounts.person import Person
from webapp.services.errors import FieldErrors, NotAllowed, NotFound, StaleTurn
from webapp.services.play.access import GameAccess, game_for
from webapp.services.play.summaries import seat_summaries
from webapp.services.play.talk import MessageInput, send_message
from webapp.services.play.turn_holding import play_or_hold, withdraw_turn
from webapp.services.tx import Tx
from webapp.wording import replies, times
from webapp.wording.perspective import Perspective


class ReplyTurn(NamedTuple):
    """The turn that an email answers, and the player who has sent it."""

    slug: str
    seq: int
    person: Person
    email_id: int


class _NotDone(Exception):
    """A command is not executed; the message is a sentence for the player."""


class Execution:
    """The commands of one email, executed one after another in one transaction.

    ``may_act`` says whether it is proven who has sent it; nothing is changed otherwise.
    """

    def __init__(self, tx: Tx, turn: ReplyTurn, *, may_act: bool, now: datetime) -> None:
        self._tx, self._turn, self._may_act, self._now = tx, turn, may_act, now
        self._language: Language = language_for(turn.person.language)
        self._has_played = False

    def outcomes(self, lines: Sequence[str]) -> Iterator[CommandOutcome]:
        """Execute the commands in these lines; yield what became of each."""
        commands = parse_commands(lines)
        if not commands:
            text = self._language.gettext("Your email has no command above the quoted text.")
            yield CommandOutcome("", text, is_done=False)
        for number, command in enumerate(commands):
            try:
                sentence = self._execute(number, command)
            except _NotDone as refusal:
                yield CommandOutcome(command.typed, str(refusal), is_done=False)
            else:
                yield CommandOutcome(command.typed, sentence, is_done=True)

    def _execute(self, number: int, command: Command) -> str:
        """Execute one command and return what was done. Raises _NotDone."""
        if command.verbs == {Verb.HELP}:
            return self._help_sentence()
        if command.verbs == {Verb.STATUS}:
            return self._language.gettext("This is how the game stands.")
        try:
            # What a refused command has written is taken back, and the others count.
            with self._tx.connection.begin_nested():
                return self._change(number, command)
        except NotFound:
            raise _NotDone(
                self._language.gettext("You no longer have a seat at this table.")
            ) from None
        except StaleTurn:
            raise self._late() from None
        except (NotAllowed, FieldErrors, IllegalAction):
            raise _NotDone(
                self._language.gettext("That isn't possible now. The table's page says why.")
            ) from None

    def _change(self, number: int, command: Command) -> str:
        access = self._access("change" if command.verbs == {Verb.UNDO} else "play")
        if command.verbs == {Verb.SAY}:
            return self._say(number, command, access)
        if command.verbs == {Verb.UNDO}:
            self._require_proof()
            withdraw_turn(self._tx, access, seq=access.game.seq, now=self._now)
            return self._language.gettext("Your turn is yours again.")
        return self._play(command, access)

    def _access(self, mode: str) -> GameAccess:
        turn = self._turn
        access = game_for(self._tx, turn.slug, turn.person, now=self._now, mode=mode)  # type: ignore[arg-type] # one of two literals
        if access.seat is None:
            raise NotFound
        return access

    def _say(self, number: int, command: Command, access: GameAccess) -> str:
        self._require_proof()
        message = MessageInput(command.rest, f"email {self._turn.email_id} {number}")
        send_message(self._tx, access, message, now=self._now)
        return self._language.gettext("Said to the table.")

    def _play(self, command: Command, access: GameAccess) -> str:
        if not command.verbs:
            raise _NotDone(replies.no_command_sentence(command.typed, self._language))
        game, seat = access.game, access.seat
        assert seat is not None
        if game.status == GameStatus.PAUSED:
            raise _NotDone(self._language.gettext("The game is paused."))
        row = game.row
        is_same_turn = row.turn_seq == self._turn.seq or self._has_played
        if row.awaiting != seat or not is_same_turn or game.status != GameStatus.RUNNING:
            raise self._late()
        view = game.view(seat)
        perspective = recipient_perspective(
            seat_summaries(row, me=seat, gone=view.gone), self._language
        )
        action = self._resolved(command, view, perspective)
        self._require_proof()
        held_turn = play_or_hold(self._tx, access, action, seq=game.seq, now=self._now)
        self._has_played = True
        if held_turn is None:
            return replies.played_sentence(action, perspective, view=view)
        zone = zone_for(self._turn.person.zone)
        due_text = times.absolute_time(
            held_turn.due_at, now=self._now, zone=zone, language=self._language
        )
        return replies.held_sentence(action, perspective, view=view, due_text=due_text)

    def _resolved(self, command: Command, view: View, perspective: Perspective) -> Action:
        """Return the action that a command means. Raises _NotDone."""
        found = resolve(command, view, legal_actions(view), perspective.names)
        if not isinstance(found, Problem):
            return found
        match found.kind:
            case ProblemKind.UNKNOWN_WORD:
                sentence = replies.unknown_word_sentence(found.word, self._language)
            case ProblemKind.SEVERAL:
                sentence = replies.several_sentence(found.actions, perspective, view=view)
            case _:
                sentence = replies.not_possible_sentence(found.actions, perspective, view=view)
        raise _NotDone(sentence)

    def _require_proof(self) -> None:
        if not self._may_act:
            raise _NotDone(self._language.gettext("Not played."))

    def _late(self) -> _NotDone:
        return _NotDone(
            self._language.gettext(
                "This turn is over already, so nothing was played. This is how the game stands."
            )
        )

    def _help_sentence(self) -> str:
        return self._language.gettext(
            "Commands: lay CARD CELL (and turned), break CARD PLAYER, repair CARD PLAYER, map GOAL, rockfall CELL, discard CARD, pass, say TEXT, undo, status. CARD is the number of a card in your hand."
        )


def execute(
    tx: Tx, turn: ReplyTurn, lines: Sequence[str], *, may_act: bool, now: datetime
) -> tuple[CommandOutcome, ...]:
    """Execute the commands in these lines and return what became of each. ``may_act``: whether it is proven who has sent them."""
    return tuple(Execution(tx, turn, may_act=may_act, now=now).outcomes(lines))
