"""What a kind of email is: when it applies, to whom, and what it says.

Each kind is one module in the ``emails`` folder of its subject, with ``EMAIL`` as its instance, and one template of the same name.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from webapp.kernel.email_outcomes import DropReason
from webapp.kernel.game_status import GameStatus
from webapp.kernel.i18n import Locale
from webapp.kernel.keyring import Keyring, hash_of
from webapp.kernel.resources import subject_modules
from webapp.kernel.tx import Tx
from webapp.mail.envelope import (
    EmailContext,
    Envelope,
    OptOuts,
    UnsubscribeTokens,
    message_id_of,
    move_token_of,
    reply_token_of,
    unsubscribe_tokens,
    with_token,
)
from webapp.mail.queries.email_facts import Addressee, ClaimedNotification
from webapp.mail.queries.opt_outs import TokenRow
from webapp.mail.queries.replies import ReplyTokenRow
from webapp.play.access import LoadedGame

FactsT = TypeVar("FactsT")
ContextT = TypeVar("ContextT", bound=EmailContext)


class Superseded(Exception):
    """The email no longer applies; the reason is stored in its row."""

    def __init__(self, reason: DropReason) -> None:
        super().__init__(reason.code)
        self.reason = reason


class EmailLocale(Locale, frozen=True):
    """The locale of a recipient, and the address and the name of the site."""

    base_url: str
    site_name: str


class EmailSource(msgspec.Struct, Generic[FactsT], frozen=True, kw_only=True):
    """Everything that a context is built from."""

    notification: ClaimedNotification
    game: LoadedGame | None
    """None for emails outside games."""
    keys: Keyring
    now: datetime
    reply_address: str = ""
    """The address for answers, without a token; empty if they are not read."""
    facts: FactsT | None = None
    """What the kind of email has read besides the game; None if that no longer exists, or there is nothing to read."""

    def __repr__(self) -> str:
        return f"<EmailSource {self.notification.id}>"

    @property
    def may_see_game(self) -> bool:
        """Whether the recipient may open the game: those who have left their seat wait until it is over."""
        if self.game is None:
            return False
        is_seated = self.game.row.seat_of(self.notification.recipient_id) is not None
        return is_seated or not self.game.status.is_under_way

    def own_deadline(self) -> datetime | None:
        """Return the deadline of the running turn if it is the recipient's."""
        row = None if self.game is None else self.game.row
        if row is None or row.status != GameStatus.RUNNING or row.awaiting is None:
            return None
        is_own = row.seats[row.awaiting].account_id == self.notification.account_id
        return row.deadline_at if is_own else None

    def single_opt_out(self) -> OptOuts:
        """Return what someone without a seat can stop: a stranger all email; a player this table, so that emails about their games still come."""
        notification = self.notification
        if notification.recipient_id is None:
            return {"everything": None}
        return {"game": notification.game_id}

    def require_facts(self, reason: DropReason) -> FactsT:
        """Return what the email is about. Raises Superseded if it no longer exists."""
        if self.facts is None:
            raise Superseded(reason)
        return self.facts

    def require_game(self) -> LoadedGame:
        """Return the game. Raises Superseded if there is none."""
        if self.game is None:
            raise Superseded(DropReason.NO_GAME)
        return self.game

    def require_news(self) -> None:
        """Check that the email is news. Raises Superseded if its recipient plays with bots only, who take seconds, and has not asked for all emails."""
        game, wants_every_email = self.require_game(), self.notification.wants_every_email
        if game.row.has_one_person and not wants_every_email:
            raise Superseded(DropReason.ONLY_BOTS)

    def require_seated(self) -> tuple[LoadedGame, int]:
        """Return the game and the recipient's seat. Raises Superseded if they have none."""
        game = self.require_game()
        seat = game.row.seat_of(self.notification.account_id)
        if seat is None:
            raise Superseded(DropReason.NOT_SEATED)
        return game, seat.number


class Email(Generic[FactsT, ContextT]):
    """A kind of email; its instances have no state."""

    kind: ClassVar[str]
    """The `kind` of its rows in the outbox."""
    label: ClassVar[str]
    """What moderators' pages call it."""
    is_about_account: ClassVar[bool] = False
    """Whether it is about the recipient's account itself: it is then sent at any hour, also to those who are banned or have stopped all
    email, and can't be stopped."""
    is_reminder: ClassVar[bool] = False
    """Whether an opt-out of all reminders stops it."""
    is_answerable: ClassVar[bool] = False
    """Whether its recipient can answer with commands for the turn that it is about."""
    auto_submitted: ClassVar[str] = "auto-generated"
    """The value of Auto-Submitted, for programs that must not answer programs (RFC 3834 5)."""

    def read_facts(self, tx: Tx, sources: Sequence[EmailSource[FactsT]]) -> Mapping[int, FactsT]:
        """Return what these emails are about besides their games, by the ids of their notifications: in as few statements as possible."""
        del tx, sources
        return {}

    def addressee(self, facts: FactsT) -> Addressee | None:
        """Return the addressee of an email whose notification names no account."""
        del facts
        return None

    def opt_outs(self, source: EmailSource[FactsT]) -> OptOuts:
        """Return what the recipient can stop by the links of this email."""
        if source.notification.game_id is None:
            return {"everything": None}
        return {"everything": None, "reminders": None, "game": source.notification.game_id}

    def needed_by(self, source: EmailSource[FactsT]) -> datetime | None:
        """Return when the recipient must know what it says at the latest, despite quiet hours; None if it can wait."""
        del source
        return None

    def waits_until(self, source: EmailSource[FactsT], email_wait: timedelta) -> datetime | None:
        """Return the instant until which the email waits for its recipient; None if it does not wait.

        It may wait for one who is on the site or was up to ``email_wait`` ago.
        """
        del source, email_wait
        return None

    def answers_recipient(self, source: EmailSource[FactsT]) -> bool:
        """Return whether the recipient has just written what the email answers: it is then sent whichever emails they have stopped."""
        del source
        return False

    def context(self, source: EmailSource[FactsT]) -> ContextT:
        """Return what the email is about. Raises Superseded if it no longer applies."""
        raise NotImplementedError

    def variables(self, context: ContextT, locale: EmailLocale) -> Mapping[str, object]:
        """Return what the template needs besides the fields of the context."""
        del context, locale
        return {}

    def template(self) -> str:
        """Return the name of its template: `webapp/play/emails/reminder.py` has `play/emails/reminder.jinja`."""
        _, subject, folder, name = type(self).__module__.split(".")
        return f"{subject}/{folder}/{name}.jinja"

    def envelope(self, source: EmailSource[FactsT]) -> Envelope:
        """Return the recipient and the place of the email in its thread."""
        notification = source.notification
        return Envelope(
            kind=notification.kind,
            address=notification.address,
            name=notification.name,
            language=notification.language,
            zone=notification.zone,
            message_id=message_id_of(notification, source.keys),
            root_id=notification.thread_id,
            list_id=self.list_id(source),
            reply_to=self.reply_to(source),
            reply_address=source.reply_address,
            move_token=self.move_token(source),
            is_link_only=notification.wants_link_only,
            unsubscribe=self.unsubscribe(source)[0],
        )

    def unsubscribe(
        self, source: EmailSource[FactsT]
    ) -> tuple[UnsubscribeTokens, tuple[TokenRow, ...]]:
        """Return the tokens of the links that stop such emails, and the rows that make them work."""
        opt_outs = {} if self.is_about_account else self.opt_outs(source)
        return unsubscribe_tokens(source.notification.address, opt_outs, source.keys)

    def reply_to(self, source: EmailSource[FactsT]) -> str | None:
        """Return the address to which the recipient can answer, if there is one."""
        turn = self._answered_turn(source)
        if turn is None or not source.reply_address:
            return None
        return with_token(source.reply_address, reply_token_of(*turn, source.keys))

    def reply_token_row(self, source: EmailSource[FactsT]) -> ReplyTokenRow | None:
        """Return what makes that address and the links to moves work."""
        turn = self._answered_turn(source)
        if turn is None:
            return None
        game_id, account_id, seq = turn
        return ReplyTokenRow(
            token_hash=hash_of(reply_token_of(*turn, source.keys)),
            account_id=account_id,
            game_id=game_id,
            seq=seq,
        )

    def move_token(self, source: EmailSource[FactsT]) -> str | None:
        """Return what is in the links to moves, if the email has any."""
        turn = self._answered_turn(source)
        return None if turn is None else move_token_of(*turn, source.keys)

    def reply_seq(self, source: EmailSource[FactsT]) -> int | None:
        """Return the turn that an answer is about."""
        return source.notification.seq

    def _answered_turn(self, source: EmailSource[FactsT]) -> tuple[int, int, int] | None:
        """Return game, account and turn of an answer; None if the email can't be answered."""
        game_id, account_id = source.notification.game_id, source.notification.account_id
        if not self.is_answerable or game_id is None or source.notification.wants_link_only:
            return None
        seq = self.reply_seq(source)
        return None if account_id is None or seq is None else (game_id, account_id, seq)

    def list_id(self, source: EmailSource[FactsT]) -> str | None:
        """Return the identity of the game's emails (RFC 2919). It lasts as long as the game, because people sort their emails by it."""
        thread_id = source.notification.thread_id
        if source.game is None or thread_id is None:
            return None
        return f"{source.game.slug}.{thread_id.strip('<>').partition('@')[2]}"


@cache
def emails_by_kind() -> Mapping[str, Email[Any, Any]]:
    """Return every kind of email, in the order of their modules; nothing else lists them."""
    modules = subject_modules("emails")
    emails = [module.EMAIL for module in modules if hasattr(module, "EMAIL")]
    return {email.kind: email for email in emails}
