"""What is a parameter of a statement and what is part of its text; many byte strings or rows as one parameter."""

import re
from typing import Any

import psycopg
import pytest
from sqlalchemy import BigInteger, DateTime, LargeBinary, Text, bindparam, literal, select

from tests.support.transactions import NOON, transaction
from webapp.kernel.database import BinaryArray
from webapp.kernel.statements import Statement, array_rows, json_rows, rows_json
from webapp.kernel.tx import Database
from webapp.play.queries import games

pytestmark = pytest.mark.own_database

EVERY_BYTE = bytes(range(256))


@pytest.mark.parametrize(
    "values", [[], [b""], [EVERY_BYTE, b"", b'\\x00 "quoted", {NULL}'], [EVERY_BYTE * 400] * 3]
)
def test_byte_strings_are_read_back_unchanged(database: Database, values: list[bytes]) -> None:
    sent_rows = array_rows(messages=LargeBinary())
    with transaction(database) as tx:
        rows = Statement(lambda: select(sent_rows.c.messages)).run(tx, messages=BinaryArray(values))
        assert [bytes(row[0]) for row in rows] == values


def test_byte_strings_are_sent_in_binary(database: Database) -> None:
    sent_rows = array_rows(messages=LargeBinary())
    sent_parameters: list[bytes] = []

    class RecordingCursor(psycopg.Cursor[Any]):
        def execute(self, *arguments: Any, **options: Any) -> "RecordingCursor":
            super().execute(*arguments, **options)
            sent_parameters.extend(self._query.params)
            return self

    with transaction(database) as tx:
        driver_connection: Any = tx.connection.connection.driver_connection
        driver_connection.cursor_factory = RecordingCursor
        Statement(lambda: select(sent_rows.c.messages)).run(tx, messages=BinaryArray([EVERY_BYTE]))
    [sent] = sent_parameters
    assert EVERY_BYTE in sent


def test_constants_are_part_of_the_text_and_values_are_not(database: Database) -> None:
    statement = Statement(
        lambda: select(literal("100 %s 'quoted' \\"), literal(7)).where(
            literal("b").in_(("a", "b")), bindparam("wanted", type_=BigInteger) == literal(1)
        )
    )
    with transaction(database) as tx:
        assert statement.run(tx, wanted=1) == [("100 %s 'quoted' \\", 7)]
        assert statement.run(tx, wanted=2) == []
    assert statement.text.count("%(") == 1


def test_only_what_differs_between_pages_is_a_parameter() -> None:
    names = set(re.findall(r"%\((\w+)\)", games._STATEMENT_BY_MODE["read"].text))
    assert names == {"slug", "token_hash", "account_id", "now"}


def test_rows_are_read_back_in_their_order(database: Database) -> None:
    given_rows = [
        {"id": 2**62, "name": "b'\"%s", "head": EVERY_BYTE, "at": NOON},
        {"id": 1, "name": None, "head": None, "at": None},
        {"id": 1, "name": "", "head": b"", "at": NOON.replace(microsecond=123_456)},
    ]
    sent = json_rows(
        "sent",
        id=BigInteger(),
        name=Text(),
        head=LargeBinary(),
        at=DateTime(timezone=True),
    )
    columns = [sent.c[name] for name in given_rows[0]]
    with transaction(database) as tx:
        rows = Statement(lambda: select(*columns).order_by(sent.c.ordinal)).run(
            tx, sent=rows_json(given_rows)
        )
    assert rows == [tuple(row.values()) for row in given_rows]


def test_rows_to_be_sent_hide_what_they_hold() -> None:
    assert repr(rows_json([{"hand": "secret"}])) == "<text>"
