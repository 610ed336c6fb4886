"""Relays and composers that fail or are slow on purpose, and what a complete delivery of one deal sends."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tests.support.cast import ALICE, BOB, CAROL
from tests.support.fakes import FakeClock, kind_of
from webapp.mail.compose import Composer
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import MessageParts
from webapp.mail.transport import RenderedEmail

DEALT_EMAILS = [("dealt", guest.address) for guest in (ALICE, BOB, CAROL)]
EMAILS_OF_A_DEAL = [*DEALT_EMAILS, ("your-turn", ALICE.address)]


def refuse_emails_with(failure: Exception, *, kind: str) -> Callable[[RenderedEmail], None]:
    """Return a hook of ``RecordingTransport`` that refuses every email of one kind."""

    def refuse_kind(email: RenderedEmail) -> None:
        if kind_of(email.message) == kind:
            raise failure

    return refuse_kind


class FailingComposer(Composer):
    """Raises an error for one kind of email."""

    def __init__(self, composer: Composer, kind: str) -> None:
        self._composer = composer
        self._kind = kind

    def compose(self, context: EmailContext, *, now: datetime) -> MessageParts:
        if context.envelope.kind == self._kind:
            raise ZeroDivisionError("a bug")
        return self._composer.compose(context, now=now)


class SlowComposer(Composer):
    """Takes a minute for each email."""

    def __init__(self, composer: Composer, clock: FakeClock) -> None:
        self._composer = composer
        self._clock = clock

    def compose(self, context: EmailContext, *, now: datetime) -> MessageParts:
        self._clock.now += timedelta(minutes=1)
        return self._composer.compose(context, now=now)
