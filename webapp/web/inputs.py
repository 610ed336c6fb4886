"""From the text of a form to values. Every wrong field is found before anything is refused."""

from collections.abc import Mapping
from typing import Final

from webapp.services.errors import FieldError, FieldErrors

_LONGEST: Final = 1000
_MOST_DIGITS: Final = 9


class Inputs:
    """Reads one field after another, and remembers what was wrong with each."""

    def __init__(self, form: Mapping[str, str]) -> None:
        self._form = form
        self.errors: list[FieldError] = []

    @property
    def wrong(self) -> frozenset[str]:
        """The fields that were wrong so far."""
        return frozenset(error.field for error in self.errors)

    def text(self, name: str) -> str:
        """One line of text without surrounding space; empty when it is missing or cannot be shown."""
        typed = self._form.get(name, "").strip()
        if not typed.isprintable():
            self.refuse(name, "control-characters")
            return ""
        if len(typed) > _LONGEST:
            self.refuse(name, "too-long", max=_LONGEST)
            return ""
        return typed

    def number(self, name: str) -> int | None:
        """A whole number that is not negative; None when there is none."""
        typed = self.text(name)
        if not typed:
            self.refuse(name, "required")
            return None
        return self._number(name, typed)

    def number_if_any(self, name: str) -> int | None:
        """A whole number, or None where the field may stay empty and does."""
        typed = self.text(name)
        return self._number(name, typed) if typed else None

    def one_of(self, name: str, choices: Mapping[str, object] | tuple[str, ...]) -> str:
        """One of these words; empty when it is none of them."""
        typed = self.text(name)
        if typed in choices:
            return typed
        self.refuse(name, "unknown" if typed else "required")
        return ""

    def ticked(self, name: str) -> bool:
        """Whether a box was ticked."""
        return bool(self._form.get(name))

    def refuse(self, name: str, code: str, **params: str | int) -> None:
        """Remember that a field is wrong."""
        if name not in self.wrong:
            self.errors.append(FieldError(name, code, params))

    def check(self) -> None:
        """Raise FieldErrors when anything was wrong."""
        if self.errors:
            raise FieldErrors(*self.errors)

    def _number(self, name: str, typed: str) -> int | None:
        if typed.isascii() and typed.isdigit() and len(typed) <= _MOST_DIGITS:
            return int(typed)
        self.refuse(name, "not-a-number")
        return None
