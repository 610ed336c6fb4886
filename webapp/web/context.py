"""What every page needs and none may make for itself: the settings, the database, time, chance, the nudge."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from flask import Flask, current_app

from webapp.config import Settings
from webapp.services.keys import Keyring, Tokens
from webapp.services.tx import Database, Nudge

_NAME: Final = "lodepost"


@dataclass(frozen=True, kw_only=True)
class AppContext:
    """One running site, put together by ``create_app``."""

    settings: Settings
    database: Database
    keys: Keyring
    tokens: Tokens
    now: Callable[[], datetime]
    nudge: Callable[[Collection[Nudge]], None]
    """Says what is worth doing at once after a commit; never waits, never fails."""
    css: str
    """The address of the style sheet, which changes with every change of the sheet."""
    icon: str
    """The address of the sign in the header and in the browser's tab."""


def install(app: Flask, site: AppContext) -> None:
    """Let the pages of this application find their site."""
    app.extensions[_NAME] = site


def current_context() -> AppContext:
    """The context of the application that handles this request."""
    return cast("AppContext", current_app.extensions[_NAME])
