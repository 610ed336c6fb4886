"""The settings of an account: name, language, time zone and how gold is picked."""

from typing import Final, NamedTuple

import msgspec

from webapp.accounts.names import name_errors, normalize_name, person_name_errors
from webapp.accounts.person import Person
from webapp.accounts.queries import accounts
from webapp.kernel.i18n import SUPPORTED_LANGUAGES
from webapp.kernel.refusals import FieldError, FieldErrors, out_of_range
from webapp.kernel.system_time import known_zones
from webapp.kernel.tx import Tx

MAX_HOLD_MINUTES: Final = 10


def change_profile(
    tx: Tx, person: Person, *, name: str, language: str, zone: str, picks_gold: bool
) -> Person:
    """Store new settings and return the changed person. Raises FieldErrors for ``name``, ``language`` and ``zone``."""
    normalized = normalize_name(name)
    errors = _profile_errors(normalized, language, zone) or person_name_errors(
        tx, person, normalized
    )
    if errors:
        raise FieldErrors(*errors)
    accounts.change_profile(
        tx,
        person.id,
        name=normalized,
        language=language,
        zone=zone,
        picks_gold=picks_gold,
    )
    return msgspec.structs.replace(
        person, name=normalized, language=language, zone=zone, picks_gold=picks_gold
    )


class EmailPreferences(NamedTuple):
    """How a person wants their emails about games; each is explained at ``Person``."""

    wants_link_only: bool
    wants_every_email: bool
    moves_need_sign_in: bool


def change_email_preferences(tx: Tx, person: Person, preferences: EmailPreferences) -> None:
    accounts.change_email_preferences(tx, person.id, **preferences._asdict())


def change_hold_minutes(tx: Tx, person: Person, *, minutes: int) -> None:
    """Store for how many minutes the person's next turns are held. Raises FieldErrors for ``hold_minutes``."""
    if not 0 <= minutes <= MAX_HOLD_MINUTES:
        raise FieldErrors(out_of_range("hold_minutes", 0, MAX_HOLD_MINUTES))
    accounts.change_hold_minutes(tx, person.id, minutes=minutes)


def dismiss_hints(tx: Tx, person: Person) -> None:
    """Store that the person wants no hints at tables any more."""
    accounts.dismiss_hints(tx, person.id)


def _profile_errors(name: str, language: str, zone: str) -> list[FieldError]:
    errors = name_errors(name)
    if language not in SUPPORTED_LANGUAGES:
        errors.append(FieldError("language", "unknown"))
    if zone not in known_zones():
        errors.append(FieldError("zone", "unknown"))
    return errors
