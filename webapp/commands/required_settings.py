"""The settings of server processes: the environment with the options of the command, and what several processes must share.

It must load no library of a process, because `lodepost migrate` needs it too.
"""

import argparse
from collections.abc import Mapping

from webapp.kernel.config import Settings, settings_from
from webapp.kernel.operator_errors import Misconfigured
from webapp.kernel.settings_reader import SettingsReader
from webapp.logs.masks import secrets_of
from webapp.logs.process_output import configure_logging


def with_overrides(environ: Mapping[str, str], arguments: argparse.Namespace) -> dict[str, str]:
    """Return the environment with --data and --port in place of DATA_DIR and the port of LISTEN."""
    merged_environ = dict(environ)
    if getattr(arguments, "data", None) is not None:
        merged_environ["DATA_DIR"] = arguments.data
    if arguments.port is not None:
        host = merged_environ.get("LISTEN", "").strip().rpartition(":")[0] or "127.0.0.1"
        merged_environ["LISTEN"] = f"{host}:{arguments.port}"
    return merged_environ


def settings_requiring(environ: Mapping[str, str], *names: str) -> Settings:
    """Return the settings, whose secrets are masked in the log from now on.

    Raises Misconfigured if one of ``names`` is unset, which several processes must share.
    """
    reader = SettingsReader(environ)
    missing_names = [name for name in names if not reader.is_set(name)]
    if missing_names:
        raise Misconfigured(
            [
                f"{name} is not set; only `lodepost serve` works without it."
                for name in missing_names
            ]
        )
    settings = settings_from(environ)
    configure_logging(secrets=secrets_of(settings))
    return settings
