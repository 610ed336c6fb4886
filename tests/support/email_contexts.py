"""An email context of every kind, caused once through the services."""

from datetime import datetime, timedelta
from typing import Any, Final

import pytest
from msgspec.structs import replace

from engine.view import View, legal_actions
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, Character
from tests.support.caused_emails import cause_every_kind
from tests.support.factories import sign_in_guests
from tests.support.fakes import FakeClock, RecordingTransport, drawn_as_digest
from tests.support.postgres import Postgres
from tests.support.replies import ADDRESSES
from tests.support.transactions import KEYS, NOON, pick_first
from webapp.kernel.tx import Database
from webapp.mail.compose import Composer
from webapp.mail.email import emails_by_kind
from webapp.mail.envelope import EmailContext, Envelope
from webapp.mail.mime import MessageParts

EMAIL_KINDS: Final = tuple(emails_by_kind())
ACCOUNT_KINDS: Final = tuple(
    kind for kind, email in emails_by_kind().items() if email.is_about_account
)
CLUB_KINDS: Final = tuple(kind for kind in EMAIL_KINDS if kind.startswith("club-"))
GAME_KINDS: Final = tuple(
    kind
    for kind in EMAIL_KINDS
    if kind not in {*ACCOUNT_KINDS, *CLUB_KINDS, "deadlines-moved", "open-seats"}
)
"""The kinds that are about one table."""
NOW: Final = NOON
NAMES: Final = ("Alice", "Bob", "Dāvis")
"""The players of the game that the emails are about, by seat."""
COMPOSER: Final = Composer(
    base_url="https://lodepost.example",
    mail_from="lodepost@lodepost.example",
)


class EmailContexts:
    """One context of each kind: about the same game and to Alice, if there is one."""

    def __init__(self, context_by_kind: dict[str, EmailContext]) -> None:
        self._context_by_kind = context_by_kind

    def __call__(self, kind: str, **changed_fields: Any) -> Any:
        """Return the context of this kind, with anything changed."""
        return replace(self._context_by_kind[kind], **changed_fields)

    def envelope(self, kind: str, **changed_fields: Any) -> Envelope:
        """Return the envelope of this kind, with anything changed."""
        return replace(self._context_by_kind[kind].envelope, **changed_fields)

    def table(self, **changed_fields: Any) -> Any:
        """Return the table that the emails are about, with anything changed."""
        return replace(self("your-turn").table, **changed_fields)

    def turn(self, view: View) -> Any:
        """Return the context of a turn in another position."""
        return self("your-turn", view=view, menu=legal_actions(view), seats=self._seats_of(view))

    def round_over(self, view: View, last_view: View) -> Any:
        """Return the context of the end of the latest round in another game, which everyone saw end like this."""
        return self(
            "round-over",
            view=view,
            result=view.results[-1],
            last_view=last_view,
            seats=self._seats_of(view),
        )

    def _seats_of(self, view: View) -> tuple[Any, ...]:
        seats = self("your-turn").seats
        return tuple(
            replace(seats[number % len(seats)], number=number, is_me=number == view.seat)
            for number in range(view.seats)
        )


class _RecordingComposer(Composer):
    """Keeps the contexts that it is given."""

    def __init__(self) -> None:
        self.contexts: list[EmailContext] = []

    def compose(self, context: EmailContext, *, now: datetime) -> MessageParts:
        del now
        self.contexts.append(context)
        return MessageParts(
            html="", text="recorded", fields=(("Message-ID", "<m@lodepost.test>"),), boundary="=_b"
        )


@pytest.fixture(scope="session")
def email_context(postgres: Postgres) -> EmailContexts:
    """An email of every kind, caused in a database of its own."""
    composer, clock = _RecordingComposer(), FakeClock()
    with postgres.migrated_database() as url:
        database = Database(url, pool_size=4)
        worker = WorkerContext(
            database=database,
            keys=KEYS,
            composer=composer,
            png_of=drawn_as_digest,
            transport=RecordingTransport(),
            mail_from="lodepost@lodepost.test",
            now=clock,
            database_time=lambda _: clock(),
            random_below=pick_first,
            is_stopping=lambda: False,
            nudge=lambda _: None,
            email_wait=timedelta(),
            own_addresses=ADDRESSES,
            pause=clock.pause,
        )
        davis = Character(NAMES[2], "davis@example.test")
        slug = cause_every_kind(worker, sign_in_guests(database, ALICE, BOB, davis), clock)
        database.dispose()

    def relevance(context: EmailContext) -> tuple[bool, bool]:
        envelope = context.envelope
        return (envelope.list_id or "").startswith(slug), envelope.address == ALICE.address

    context_by_kind: dict[str, EmailContext] = {}
    for context in sorted(composer.contexts, key=relevance, reverse=True):
        context_by_kind.setdefault(context.envelope.kind, context)
    return EmailContexts(context_by_kind)
