"""The emails that the relay accepted, as their recipients read them."""

import re
from collections import Counter
from collections.abc import Sequence
from email import message_from_bytes, policy

from tests.chaos.deployment import wait_until
from tests.support.smtp_sink import AcceptedMessage, Sink

_LINK = re.compile(r"/sign-in/link/[\w=-]+")


class Inbox:
    """All emails accepted by a relay."""

    def __init__(self, relay: Sink) -> None:
        self._relay = relay

    def sign_in_link(self, address: str) -> str:
        """Wait for a sign-in email to this address and return the path of the newest link."""
        found: list[str] = []

        def has_arrived() -> bool:
            found.extend(
                link[0]
                for taken in list(self._relay.taken)
                if address in taken.recipients
                for link in [_LINK.search(_text_of(taken))]
                if link
            )
            return bool(found)

        wait_until(has_arrived)
        return found[-1]


def count_message_ids(taken: Sequence[AcceptedMessage]) -> Counter[str]:
    """Return how often each Message-ID was accepted."""
    return Counter(message_id_of(email) for email in taken)


def message_id_of(taken: AcceptedMessage) -> str:
    head = taken.message.partition(b"\r\n\r\n")[0]
    return str(message_from_bytes(head + b"\r\n\r\n", policy=policy.default)["Message-ID"])


def _text_of(taken: AcceptedMessage) -> str:
    body = taken.read().get_body(("plain",))
    return "" if body is None else str(body.get_content())
