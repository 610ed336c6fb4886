"""Acts of moderators in tests: a site moderator, and acts performed and previewed as the pages do it."""

import itertools
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update

from tests.support.cast import MO, Character
from tests.support.factories import Guest, sign_in_guest
from tests.support.transactions import NOON, transaction
from webapp.accounts.person import Person
from webapp.accounts.schema import Account
from webapp.kernel.rights import GameRight
from webapp.kernel.tx import Database, Tx
from webapp.mail.schema import Notification
from webapp.moderation.performing import (
    ActPreview,
    ActRequest,
    Position,
    perform_act_request,
    preview,
)
from webapp.moderation.queries import ledger, moderators
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.moderation.queries.moderators import PeekRow
from webapp.moderation.schema import LedgerEntry
from webapp.play.changes.acts import Act, ActInput, ActLimit, acts_by_name
from webapp.play.schema import Game

HOUR = timedelta(hours=1)
_form_numbers = itertools.count(1)


def site_moderator(database: Database, character: Character = MO) -> Guest:
    """Sign someone in as a site moderator."""
    moderator = sign_in_guest(database, character)
    with transaction(database) as tx:
        tx.execute(
            update(Account).where(Account.id == moderator.person.id).values(is_moderator=True)
        )
    return Guest(as_moderator(moderator.person), moderator.cookie)


def as_moderator(person: Person) -> Person:
    """Return this person as a site moderator."""
    fields = {name: getattr(person, name) for name in person.__struct_fields__}
    return Person(**fields | {"is_moderator": True})


def act_named(act: GameRight) -> Act[Any]:
    """Return the act of this right."""
    return acts_by_name()[act]


def given_to(act: GameRight, **input_fields: Any) -> ActInput:
    """Return what an act needs besides its reason, of these fields, which may be those of other acts too."""
    input_type = act_named(act).input_type
    known_fields = {
        name: input_fields[name] for name in input_type.__struct_fields__ if name in input_fields
    }
    given: ActInput = input_type(**known_fields)
    return given


def limit_of(act: GameRight) -> ActLimit:
    limit = act_named(act).limit
    assert limit is not None
    return limit


def perform_act(
    database: Database,
    slug: str,
    act: GameRight,
    *,
    by: Guest | None = None,
    now: datetime = NOON,
    expected: Position | None = None,
    form_id: str = "",
    reason: str = "asked by email",
    **input_fields: Any,
) -> int:
    """Perform an act, without ``by`` as the operator; return the newest entry of the ledger."""
    request = ActRequest(
        actor=None if by is None else by.person,
        slug=slug,
        act=act_named(act),
        given=given_to(act, **input_fields),
        reason=reason,
        form_id=form_id or f"form {next(_form_numbers)}",
        expected=expected,
    )
    with transaction(database, now) as tx:
        return _perform(tx, request)


def undo_act(
    database: Database,
    slug: str,
    act: GameRight,
    entry_id: int,
    *,
    by: Guest | None = None,
    now: datetime = NOON,
) -> int:
    """Undo an act, without ``by`` as the operator; return the newest entry of the ledger."""
    request = ActRequest(
        actor=None if by is None else by.person,
        slug=slug,
        act=act_named(act),
        given=ActInput(),
        reason="by mistake",
        form_id=f"form {next(_form_numbers)}",
        undoes=entry_id,
    )
    with transaction(database, now) as tx:
        return _perform(tx, request)


def _perform(tx: Tx, request: ActRequest) -> int:
    """Perform an act and return the id of the newest entry in the ledger: its own, or its first one if it was repeated."""
    perform_act_request(tx, request)
    return tx.connection.scalars(select(func.max(LedgerEntry.id))).one()


def act_preview(
    database: Database,
    slug: str,
    act: GameRight,
    *,
    by: Guest | None = None,
    now: datetime = NOON,
    **input_fields: Any,
) -> ActPreview:
    with transaction(database, now) as tx:
        actor = None if by is None else by.person
        return preview(tx, actor, slug, act_named(act), given_to(act, **input_fields))


def ledger_acts(database: Database) -> list[str]:
    """Return the names of all recorded acts, oldest first."""
    with transaction(database) as tx:
        return list(tx.connection.scalars(select(LedgerEntry.act).order_by(LedgerEntry.id)))


def store_peek(database: Database, slug: str, guest: Guest) -> None:
    """Store that this guest looked at the secrets of a game."""
    with transaction(database) as tx:
        game_id = tx.connection.scalars(select(Game.id).where(Game.slug == slug)).one()
        entry = NewLedgerEntry(
            act="peek",
            actor_id=guest.person.id,
            acted_as="site-moderator",
            game_id=game_id,
            reason="a dispute",
            form_id=f"form {next(_form_numbers)}",
            at=NOON,
        )
        ledger_id = ledger.add(tx, entry)
        assert ledger_id is not None
        row = PeekRow(
            game_id=game_id, account_id=guest.person.id, seq=0, ledger_id=ledger_id, at=NOON
        )
        moderators.add(tx, row)


def recipients(database: Database, kind: str = "moderator-act") -> list[int | None]:
    """Return the accounts with a notification of this kind, in order of their ids, once for each."""
    query = select(Notification.account_id).where(Notification.kind == kind)
    with transaction(database) as tx:
        return sorted(tx.connection.scalars(query.order_by(Notification.account_id)), key=str)
