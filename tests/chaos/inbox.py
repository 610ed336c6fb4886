"""What the relay took, as the people to whom it was sent read it."""

import re
from collections import Counter
from collections.abc import Sequence
from email import message_from_bytes, policy

from tests.chaos.installation import until_true
from tests.support.smtp_sink import Sink, TurnResult

_LINK = re.compile(r"/sign-in/link/[\w=-]+")


class Letterbox:
    """Looks into the relay."""

    def __init__(self, relay: Sink) -> None:
        self._relay = relay

    def sign_in_link(self, address: str) -> str:
        """Wait for the newest sign-in letter to this address; the path of its link."""
        found: list[str] = []

        def has_come() -> bool:
            found.extend(
                link[0]
                for taken in list(self._relay.taken)
                if address in taken.recipients
                for link in [_LINK.search(_text_of(taken))]
                if link
            )
            return bool(found)

        until_true(has_come)
        return found[-1]


def message_ids(taken: Sequence[TurnResult]) -> Counter[str]:
    """How often each Message-ID was accepted."""
    return Counter(message_id_of(one) for one in taken)


def message_id_of(taken: TurnResult) -> str:
    head = taken.message.partition(b"\r\n\r\n")[0]
    return str(message_from_bytes(head + b"\r\n\r\n", policy=policy.default)["Message-ID"])


def _text_of(taken: TurnResult) -> str:
    body = taken.read().get_body(("plain",))
    return "" if body is None else str(body.get_content())
