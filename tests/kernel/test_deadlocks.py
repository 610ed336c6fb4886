"""Concurrent writers of the same rows lock them in the same order."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from tests.support.transactions import transaction
from webapp.kernel.tx import Database
from webapp.mail.queries import opt_outs
from webapp.mail.queries.opt_outs import TokenRow

pytestmark = pytest.mark.own_database

_SLOW_INSERT_TRIGGER = (
    """CREATE FUNCTION pause_insert() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END $$""",
    "CREATE TRIGGER slow BEFORE INSERT ON unsubscribe_token FOR EACH ROW EXECUTE FUNCTION pause_insert()",
)


def test_concurrent_inserts_of_the_same_tokens_do_not_deadlock(database: Database) -> None:
    """Every email to an address carries the same token for all email, so two senders often insert it at the same time."""
    with transaction(database) as tx:
        for statement in _SLOW_INSERT_TRIGGER:
            tx.execute(text(statement))
    first_token, second_token = (
        TokenRow(bytes([number]) * 32, f"{number}@example.test", "everything", None)
        for number in (1, 2)
    )

    def store(tokens: list[TokenRow]) -> None:
        with transaction(database) as tx:
            opt_outs.store_tokens(tx, tokens)

    with ThreadPoolExecutor() as thread_pool:
        list(thread_pool.map(store, [[first_token, second_token], [second_token, first_token]]))
    assert _stored_token_count(database) == 2


def _stored_token_count(database: Database) -> int:
    with transaction(database) as tx:
        return int(tx.execute(text("SELECT count(*) FROM unsubscribe_token")).scalar_one())
