"""The parts that every body is made of: headings, paragraphs, lists ... by the same names as text and as HTML."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from jinja2 import Template

_REMEMBERED: Final = 512
_OFTEN_THE_SAME: Final = frozenset({"heading", "paragraph"})


class Parts:
    """The macros of one file, for templates that call them by name.

    Most headings and paragraphs stand in letter after letter: what they look like is remembered.
    """

    def __init__(self, template: Template) -> None:
        for name, macro in vars(template.module).items():
            if callable(macro) and not name.startswith("_"):
                setattr(self, name, _remembering(name, macro))


def _remembering(name: str, macro: Callable[..., str]) -> Callable[..., str]:
    return lru_cache(maxsize=_REMEMBERED)(macro) if name in _OFTEN_THE_SAME else macro
