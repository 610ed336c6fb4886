"""The commands that an email lists, as a person reads them."""

import re
from collections.abc import Iterator


def listed_commands(text: str) -> Iterator[str]:
    """Yield the commands in an email, as a person reads them: for places in one row, each with the text before them."""
    menu = re.split(r"\n.+\n---+\n", text.partition("What you can do\n---")[2])[0]
    for line in re.sub(r"\n    +", " ", menu).splitlines():
        if line.startswith("  ") and ", " not in line:
            yield line.strip().partition("  ")[0]
        elif line.startswith("  "):
            first, *others = line.strip().split(", ")
            beginning = first.removesuffix(" turned").rpartition(" ")[0]
            yield first
            yield from (f"{beginning} {place}" for place in others)
