"""The settings of one of several processes, which share a database.

Its own module because `lodepost migrate` and the processes need it, and it must load no library of either.
"""

from collections.abc import Mapping

from webapp.config import Settings, settings_from
from webapp.operator_errors import Misconfigured
from webapp.settings_reader import SettingsReader


def settings_requiring(environ: Mapping[str, str], *names: str) -> Settings:
    """Return the settings. Raises Misconfigured if one of the shared ``names`` is unset."""
    reader = SettingsReader(environ)
    missing_names = [name for name in names if not reader.is_set(name)]
    if missing_names:
        raise Misconfigured(
            [
                f"{name} is not set; only `lodepost serve` works without it."
                for name in missing_names
            ]
        )
    return settings_from(environ)
