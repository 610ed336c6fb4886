"""Table talk in emails: what the others have said since the recipient's last turn."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from webapp.mail.blocks import Block, Heading, Saying, Talk
from webapp.services.play.shown_messages import ShownMessage
from webapp.wording.perspective import Perspective, player_name

_PARTS_OF_LINKS: Final = re.compile(r"(?<=\w)[.@\u3002\uff0e](?=\w)|:(?=//)")
"""Where mail programs find out that something is a link: they make links of plain text, too."""
_WORD_JOINER: Final = "\u2060"
"""Invisible; an address that contains one is not made a link."""


def talk_section(messages: Sequence[ShownMessage], perspective: Perspective) -> Iterator[Block]:
    """Yield what was said, each under its author's name; nothing if no one has said anything."""
    if not messages:
        return
    language = perspective.language
    yield Heading(language.gettext("Table talk"))
    yield Talk(
        tuple(
            Saying(
                player_name(message.name, language),
                language.gettext("(removed by a moderator)")
                if message.is_removed
                else without_links(message.text),
            )
            for message in messages
        )
    )


def without_links(text: str) -> str:
    """Return a text in which mail programs recognize no address, though it looks the same."""
    return _PARTS_OF_LINKS.sub(lambda found: found[0] + _WORD_JOINER, text)
