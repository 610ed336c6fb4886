"""Failures of the database by kind, and errors without the rows that they quote."""

from typing import Final

import psycopg
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

UNAVAILABLE_ERRORS: Final = (
    OperationalError,
    InterfaceError,
    PoolTimeout,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
)
"""The errors of a database that cannot be reached, is too busy to answer in time, or takes no changes at present."""


class WriteRefused(Exception):
    """The database refused what was to be written, all of it."""


def remove_row_from_error(error: psycopg.Error) -> str:
    """Remove from an error the row that Postgres quotes in its DETAIL, and return the message that is left.

    The row may hold a hand of cards, a token or an address, and errors are logged.
    """
    message = error.diag.message_primary or str(error).partition("\n")[0]
    error.args = (message,)
    return message
