"""Why a command did not do what it was asked for, on the operator's terminal."""

import sys

from webapp.wording.terminal import shown_lines


def refuse(command: str, words: str) -> int:
    """Say it, and give the status that goes with it. The words may hold names of files, in which anything can stand."""
    print(f"lodepost {command}: {shown_lines(words)}", file=sys.stderr)
    return 2
