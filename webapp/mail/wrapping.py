"""Plain text for terminals: lines of 72 columns, save what cannot be broken."""

from typing import Final

_WIDTH: Final = 72


def wrapped(text: str, bullet: str = "") -> str:
    """The text in lines that are short enough to be quoted; the first one begins with the bullet, the others under it."""
    line, indent = bullet, " " * len(bullet)
    if len(line) + len(text) <= _WIDTH:
        return line + text
    lines: list[str] = []
    for word in text.split(" "):
        if line.strip(" ") and len(line) + len(word) > _WIDTH and line != bullet:
            lines.append(line.rstrip(" "))
            line = indent
        line += word + " "
    return "\n".join((*lines, line.rstrip(" ")))
