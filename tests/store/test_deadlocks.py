"""Two that write the same rows at the same moment wait for one another in one order only."""

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import text

from webapp.services.tx import Database, transaction
from webapp.store.notifications import opt_outs
from webapp.store.notifications.opt_outs import TokenRow

_SLOW = (
    """CREATE FUNCTION wait_a_little() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END $$""",
    "CREATE TRIGGER slow BEFORE INSERT ON unsubscribe FOR EACH ROW EXECUTE FUNCTION wait_a_little()",
)


def test_two_senders_remember_the_same_tokens_the_other_way_round(database: Database) -> None:
    """Each letter to an address carries the same token of everything: two senders meet at it at any time."""
    with transaction(database) as tx:
        for statement in _SLOW:
            tx.connection.execute(text(statement))
    one, other = (
        TokenRow(bytes([number]) * 32, f"{number}@example.test", "everything", None)
        for number in (1, 2)
    )

    def remember(tokens: list[TokenRow]) -> None:
        with transaction(database) as tx:
            opt_outs.remember(tx.connection, tokens)

    with ThreadPoolExecutor() as senders:
        list(senders.map(remember, [[one, other], [other, one]]))
    assert tokens_stored(database) == 2


def tokens_stored(database: Database) -> int:
    with transaction(database) as tx:
        return int(
            tx.connection.execute(text("SELECT count(*) FROM unsubscribe_token")).scalar_one()
        )
