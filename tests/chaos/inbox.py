"""The emails that the relay accepted, as their recipients read them."""

import re
from collections import Counter
from collections.abc import Sequence
from email import message_from_bytes, policy

from tests.chaos.deployment import wait_until
from tests.chaos.evidence import Acceptance
from tests.support.smtp_sink import AcceptedMessage, Sink
from webapp.kernel.keyring import local_part_of

_SIGN_IN_LINK_PATTERN = re.compile(r"/sign-in/link/[\w=-]+")


class RelayInbox:
    """All emails accepted by a relay."""

    def __init__(self, relay: Sink) -> None:
        self._relay = relay

    def sign_in_link(self, address: str) -> str:
        """Wait for a sign-in email to this address and return the path of the newest link."""
        links: list[str] = []

        def has_arrived() -> bool:
            links.extend(
                link[0]
                for message in list(self._relay.accepted_messages)
                if address in message.recipients
                for link in [_SIGN_IN_LINK_PATTERN.search(_text_of(message))]
                if link
            )
            return bool(links)

        wait_until(has_arrived)
        return links[-1]

    def reply_address(self, address: str, slug: str) -> str | None:
        """Return where this person answers the newest email about this game that can be answered; None if there is none yet."""
        for message in reversed(list(self._relay.accepted_messages)):
            if address in message.recipients:
                email = message.read()
                if email["Reply-To"] and str(email["List-Id"]).startswith(f"<{slug}."):
                    return str(email["Reply-To"])
        return None


def acceptances_of(messages: Sequence[AcceptedMessage]) -> list[Acceptance]:
    """Return when each message was accepted, in order."""
    return [Acceptance(message_id_of(message), message.accepted_at) for message in messages]


def count_message_ids(messages: Sequence[AcceptedMessage]) -> Counter[str]:
    """Return how often each Message-ID was accepted, as the outbox stores it."""
    return Counter(message_id_of(email) for email in messages)


def message_id_of(message: AcceptedMessage) -> str:
    header_bytes = message.message.partition(b"\r\n\r\n")[0]
    header = message_from_bytes(header_bytes + b"\r\n\r\n", policy=policy.default)
    return local_part_of(str(header["Message-ID"]))


def _text_of(message: AcceptedMessage) -> str:
    body = message.read().get_body(("plain",))
    return "" if body is None else str(body.get_content())
