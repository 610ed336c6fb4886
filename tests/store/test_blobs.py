"""Bytes go to the database and come back as they were, many in one parameter."""

import pytest
from sqlalchemy import LargeBinary, select

from webapp.services.tx import Database, transaction
from webapp.store.blobs import Blobs
from webapp.store.statements import Statement, given_rows

EVERY_BYTE = bytes(range(256))


@pytest.mark.parametrize(
    "sent", [[], [b""], [EVERY_BYTE, b"", b'\\x00 "quoted", {NULL}'], [EVERY_BYTE * 400] * 3]
)
def test_bytes_come_back_as_they_were_sent(database: Database, sent: list[bytes]) -> None:
    given = given_rows(messages=LargeBinary())
    with transaction(database) as tx:
        rows = Statement(select(given.c.messages)).run(tx.connection, messages=Blobs(sent))
        assert [bytes(row[0]) for row in rows] == sent


def test_they_travel_as_they_are_and_not_as_text(database: Database) -> None:
    given = given_rows(messages=LargeBinary())
    with transaction(database) as tx:
        rows = Statement(select(given.c.messages)).run(tx.connection, messages=Blobs([EVERY_BYTE]))
        query = rows.cursor._query
        assert EVERY_BYTE in query.params[0]
        rows.close()
