"""Ages on a command line, such as 12h."""

import argparse
import re
from datetime import timedelta
from typing import Final

_HOURS_BY_UNIT: Final = {"m": 1 / 60, "h": 1, "d": 24}


def parse_age(argument: str) -> timedelta:
    """Return the length of time that was typed. Raises ArgumentTypeError."""
    found = re.fullmatch(r"(\d{1,4})([mhd])", argument, re.ASCII)
    if not found:
        raise argparse.ArgumentTypeError(
            f"expected an age such as 30m, 12h or 7d, not {argument!r}"
        )
    return timedelta(hours=int(found[1]) * _HOURS_BY_UNIT[found[2]])
