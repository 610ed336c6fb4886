"""Foreign text, such as the names of players and of files, made fit for a terminal."""


def shown(text: str) -> str:
    """In one line: what does not print is shown as a question mark in a diamond."""
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in text)


def shown_lines(text: str) -> str:
    """The same for text of our own in several lines, with foreign words in it."""
    return "\n".join(map(shown, text.split("\n")))
