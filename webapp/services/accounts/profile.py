"""The settings of an account: name, language, time zone and how gold is picked."""

import msgspec

from webapp.clock import known_zones
from webapp.languages import SUPPORTED_LANGUAGES
from webapp.services.accounts.names import name_errors, normalize_name
from webapp.services.accounts.person import Person
from webapp.services.errors import FieldError, FieldErrors
from webapp.services.tx import Tx
from webapp.store.accounts import accounts


def change_profile(
    tx: Tx, person: Person, *, name: str, language: str, zone: str, picks_gold: bool
) -> Person:
    """Store new settings and return the changed person. Raises FieldErrors for ``name``, ``language`` and ``zone``."""
    normalized = normalize_name(name)
    errors = _profile_errors(normalized, language, zone)
    if errors:
        raise FieldErrors(*errors)
    accounts.change_profile(
        tx.connection,
        person.id,
        name=normalized,
        language=language,
        zone=zone,
        picks_gold=picks_gold,
    )
    return msgspec.structs.replace(
        person, name=normalized, language=language, zone=zone, picks_gold=picks_gold
    )


def _profile_errors(name: str, language: str, zone: str) -> list[FieldError]:
    errors = name_errors(name)
    if language not in SUPPORTED_LANGUAGES:
        errors.append(FieldError("language", "unknown"))
    if zone not in known_zones():
        errors.append(FieldError("zone", "unknown"))
    return errors
