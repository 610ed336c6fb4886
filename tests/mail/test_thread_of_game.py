"""All emails about a game are one thread, also after another host name or secret key."""

from tests.support.cast import ALICE, BOB
from tests.support.factories import deal_game, sign_in_guests
from tests.support.transactions import KEYS, transaction, using
from webapp.kernel.keyring import Keyring
from webapp.kernel.tx import Database
from webapp.mail.envelope import EmailContext
from webapp.mail.outbox import delivery
from webapp.mail.preparation import prepare_emails


def contexts_with(database: Database, keys: Keyring) -> list[EmailContext]:
    """Return what the waiting emails contain; they keep waiting."""
    with transaction(database) as tx:
        claims = delivery.claim(tx)
        emails = prepare_emails(using(tx, keys=keys), claims)
        delivery.release_claims(tx, claims)
    return [email.context for email in emails if email.context is not None]


def thread_of(contexts: list[EmailContext]) -> set[tuple[str | None, str | None]]:
    return {(context.envelope.root_id, context.envelope.list_id) for context in contexts}


def test_thread_stays_when_the_host_and_the_key_change(database: Database) -> None:
    deal_game(database, sign_in_guests(database, ALICE, BOB))
    before = [context for context in contexts_with(database, KEYS) if context.envelope.root_id]
    new_keys = Keyring(
        b"another key", domain="moved.test", old_secrets=[b"a key of tests, thirty-two bytes"]
    )
    after = [context for context in contexts_with(database, new_keys) if context.envelope.root_id]
    assert len(before) == len(after) > 1
    assert len(thread_of(before)) == 1
    assert thread_of(before) == thread_of(after)
    assert {context.envelope.message_id.partition("@")[2] for context in after} == {"moved.test>"}
