"""What a table is called: by the name that its host chose, or by its host."""

from typing import Final

from webapp.i18n import N_, Language
from webapp.wording.perspective import player_name

_USUAL_TITLE: Final = N_("%(host)s's table")


def table_title(host_name: str, table_name: str, language: Language) -> str:
    """Return what a table is called. ``table_name`` is what people typed, so templates escape the result."""
    if table_name:
        return table_name
    return language.gettext(_USUAL_TITLE, host=player_name(host_name, language))
