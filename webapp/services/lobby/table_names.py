"""Names of tables, which people choose and others read in lists, subjects of emails and headings: checked like names of people."""

from typing import Final

from webapp.services.accounts.names import name_errors, normalize_name
from webapp.services.accounts.person import Person
from webapp.services.accounts.protected_names import person_name_errors
from webapp.services.errors import FieldError
from webapp.services.tx import Tx

MAX_TABLE_NAME_LENGTH: Final = 40


def table_name_errors(tx: Tx, host: Person, typed_name: str) -> tuple[FieldError, ...]:
    """Return why a table of this host cannot be called this, if anything; an empty name stands for the usual one.

    A name that contains a title of the site, or looks like the name of a moderator, could be mistaken for a message of the server.
    """
    name = normalize_name(typed_name)
    if not name:
        return ()
    errors = name_errors(name, max_length=MAX_TABLE_NAME_LENGTH) or person_name_errors(
        tx, host, name
    )
    return tuple(FieldError("table_name", error.code, error.params) for error in errors)
