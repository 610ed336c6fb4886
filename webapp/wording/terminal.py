"""Names from players and files, made safe to print on a terminal."""


def printable_line(text: str) -> str:
    """Return the text as one line; control characters become a question mark in a diamond."""
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in text)


def printable_lines(text: str) -> str:
    """Return a text of several lines with each line made printable."""
    return "\n".join(map(printable_line, text.split("\n")))
