from typing import Final

import psycopg
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

AWAY: Final = (
    OperationalError,
    InterfaceError,
    PoolTimeout,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
)
"""What a database raises that cannot be reached, is too busy to answer in time, or takes nothing at present: no fault of what was asked."""


class Unavailable(Exception):
    """The database cannot be reached, is too busy to answer in time, or takes nothing at present.

    Nothing has changed, unless the answer to a COMMIT was lost; a turn that is tried again is not taken twice.
    """


class Broken(Exception):
    """The database refuses what was to be written. Nothing of it was."""


def hide_row(problem: psycopg.Error) -> str:
    """Let an error say what went wrong and no longer with which row; what it says.

    Postgres quotes the row in its DETAIL: a hand, a token, an address, on their way into a log.
    """
    said = problem.diag.message_primary or str(problem).partition("\n")[0]
    problem.args = (said,)
    return said
