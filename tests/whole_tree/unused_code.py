"""Finds code that nothing uses. A name in the code of a template counts as a use.

Run `python -m tests.whole_tree.unused_code`; pyproject.toml has the settings.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from jinja2 import Environment
from vulture import Vulture
from vulture.config import make_config

TEMPLATES: Final = Path(__file__).parents[2] / "templates"
_ENVIRONMENT: Final = Environment(autoescape=True)


def names_in(template: str) -> Iterator[str]:
    """Yield every name in the expressions and statements of a template, but no word of its text."""
    return (value for _, kind, value in _ENVIRONMENT.lex(template) if kind == "name")


def main() -> int:
    """Print what is unused; return an exit status other than 0 if there is anything."""
    config = make_config([])
    vulture = Vulture(
        ignore_names=config["ignore_names"], ignore_decorators=config["ignore_decorators"]
    )
    vulture.scavenge(config["paths"])
    for path in TEMPLATES.rglob("*.*"):
        vulture.used_names.update(names_in(path.read_text(encoding="utf-8")))
    return int(vulture.report())


if __name__ == "__main__":
    sys.exit(main())
