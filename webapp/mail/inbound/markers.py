"""The line above which answers are read, in every language in which an email may contain it."""

from collections.abc import Collection
from functools import cache

from webapp.i18n import Language, language_for
from webapp.languages import SUPPORTED_LANGUAGES


def reply_marker(language: Language) -> str:
    """Return the line in the language of an email."""
    return language.gettext("Reply above this line")


@cache
def reply_markers() -> Collection[str]:
    return frozenset(reply_marker(language_for(code)) for code in SUPPORTED_LANGUAGES)
