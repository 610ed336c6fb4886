"""Many byte strings travel as one binary parameter."""

from typing import Any

import psycopg
import pytest
from sqlalchemy import LargeBinary, select

from tests.support.transactions import transaction
from webapp.kernel.database import BinaryArray
from webapp.kernel.statements import Statement, array_rows
from webapp.kernel.tx import Database

pytestmark = pytest.mark.own_database

EVERY_BYTE = bytes(range(256))


@pytest.mark.parametrize(
    "values", [[], [b""], [EVERY_BYTE, b"", b'\\x00 "quoted", {NULL}'], [EVERY_BYTE * 400] * 3]
)
def test_byte_strings_are_read_back_unchanged(database: Database, values: list[bytes]) -> None:
    sent_rows = array_rows(messages=LargeBinary())
    with transaction(database) as tx:
        rows = Statement(select(sent_rows.c.messages)).run(tx, messages=BinaryArray(values))
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
        Statement(select(sent_rows.c.messages)).run(tx, messages=BinaryArray([EVERY_BYTE]))
    [sent] = sent_parameters
    assert EVERY_BYTE in sent
