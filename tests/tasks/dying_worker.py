"""Delivers emails and dies right after one step: ``python -m tests.tasks.dying_worker DATABASE_URL STEP FILE``.

Sent messages are appended to the file, each followed by a zero byte.
"""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from tasks import delivery
from tasks.context import WorkerContext
from tests.support.fakes import RecordingTransport
from tests.support.transactions import KEYS, NOON, pick_first
from webapp.kernel.tx import Database
from webapp.mail.compose import Composer
from webapp.mail.envelope import EmailContext
from webapp.mail.mime import MessageParts
from webapp.mail.transport import RenderedEmail


def main(url: str, step: str, sent_file: str) -> None:
    def append_to_file(email: RenderedEmail) -> None:
        with Path(sent_file).open("ab") as file:
            file.write(email.message + b"\0")

    transport = RecordingTransport()
    transport.before_sending = die if step == "stored" else append_to_file
    transport.after_sending = die if step == "sent" else (lambda _: None)
    composer = DyingComposer if step == "prepared" else Composer
    delivery.deliver(
        WorkerContext(
            database=Database(url),
            keys=KEYS,
            composer=composer(base_url="https://lodepost.test", mail_from="lodepost@lodepost.test"),
            transport=transport,
            mail_from="lodepost@lodepost.test",
            now=DyingClock() if step == "claimed" else lambda: NOON,
            database_time=lambda _: NOON,
            random_below=pick_first,
            is_stopping=lambda: False,
            nudge=lambda _: None,
        )
    )


def die(*_: object) -> NoReturn:
    os._exit(9)


class DyingComposer(Composer):
    """Dies instead of composing."""

    def compose(self, context: EmailContext, *, now: datetime) -> MessageParts:  # noqa: ARG002 - as in Composer
        die()


class DyingClock:
    """Dies at the third look: the first two are for the comparison with the database and for the claim."""

    def __init__(self) -> None:
        self._look_count = 0

    def __call__(self) -> datetime:
        self._look_count += 1
        if self._look_count > 3:
            die()
        return NOON


if __name__ == "__main__":
    main(*sys.argv[1:])
