"""Names that could be mistaken for the people who run the site: only site moderators may have them."""

from collections.abc import Iterable
from typing import Final

from webapp.services.accounts.confusable_names import skeletons
from webapp.services.accounts.person import Person
from webapp.services.errors import FieldError, FieldErrors
from webapp.services.tx import Tx
from webapp.store.moderation import moderators

_TITLES: Final = (
    "Lodepost",
    "admin",
    "administrator",
    "moderator",
    # Latvian, Estonian, Swedish, Lithuanian, Ukrainian. The Latvian words are the English plurals too.
    "administrators",
    "moderators",
    "administraator",
    "moderaator",
    "administrat\u00f6r",
    "administratorius",
    "moderatorius",
    "\u0430\u0434\u043c\u0456\u043d",
    "\u0430\u0434\u043c\u0456\u043d\u0456\u0441\u0442\u0440\u0430\u0442\u043e\u0440",
    "\u043c\u043e\u0434\u0435\u0440\u0430\u0442\u043e\u0440",
)


def person_name_errors(tx: Tx, person: Person, new_name: str) -> list[FieldError]:
    """Return why this person cannot take a new name, if anything: it has a title, or looks like a site moderator's.

    Moderators may take any name. A name that the person already has stays theirs.
    """
    if new_name == person.name:
        return []
    current_moderators = moderators.all_moderators(tx.connection)
    if any(moderator.id == person.id for moderator in current_moderators):
        return []
    names = [moderator.name for moderator in current_moderators if moderator.name]
    is_protected = _is_like_one_of([new_name], names) or _is_like_one_of(
        [new_name, *new_name.split()], _TITLES
    )
    return [FieldError("name", "reserved")] if is_protected else []


def require_unprotected_name(tx: Tx, person: Person, new_name: str) -> None:
    """Raise FieldErrors for ``name`` if this person cannot take a new name."""
    errors = person_name_errors(tx, person, new_name)
    if errors:
        raise FieldErrors(*errors)


def club_name_errors(name: str) -> list[FieldError]:
    """Return why no club can have this name, if anything. A club may have a title among other words."""
    return [FieldError("name", "reserved")] if _is_like_one_of([name], _TITLES) else []


def _is_like_one_of(names: Iterable[str], others: Iterable[str]) -> bool:
    return not _all_skeletons(names).isdisjoint(_all_skeletons(others))


def _all_skeletons(names: Iterable[str]) -> frozenset[str]:
    return frozenset(skeleton for name in names for skeleton in skeletons(name))
