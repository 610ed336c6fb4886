"""The languages of Lodepost, listed once for services and pages."""

from typing import Final

SUPPORTED_LANGUAGES: Final = ("en", "lv", "et", "sv", "lt", "uk")
"""The codes of all languages, the default first."""
