"""Perspectives of Anna at seat 0, Bob at seat 1 and an onlooker, with names that must be escaped."""

import re

from webapp.kernel.i18n import language_for
from webapp.wording.perspective import Perspective

ENGLISH = language_for("en")
NAMES = ("Anna", "Bob & Co <b>", "Carol", "100% Dave %(x)s")
ANNA = Perspective(language=ENGLISH, names=NAMES, me=0)
BOB = Perspective(language=ENGLISH, names=NAMES, me=1)
ONLOOKER = Perspective(language=ENGLISH, names=NAMES)


def is_whole_sentence(text: str) -> bool:
    """Return whether a text starts and ends like a sentence and has no placeholder left."""
    has_placeholder = "%(" in text.replace(NAMES[3], "")
    return bool(re.match(r"[A-Z0-9]", text)) and text.endswith((".", "!")) and not has_placeholder
