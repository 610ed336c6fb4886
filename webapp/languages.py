"""The languages of Lodepost, listed once for services and pages.

Its own module because services may not import ``webapp.i18n``, which offers those of the languages that have translations.
"""

from typing import Final

SUPPORTED_LANGUAGES: Final = ("en", "lv", "et", "sv", "lt", "uk")
"""The codes of all languages, the default first."""
