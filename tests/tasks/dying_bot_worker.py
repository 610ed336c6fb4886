"""Plays bots and dies right after one step: ``python -m tests.tasks.dying_bot_worker DATABASE_URL STEP``."""

import os
import sys
from collections.abc import Collection
from dataclasses import replace
from typing import NoReturn

from tasks import bot_turns
from tasks.context import WorkerContext
from tests.support.deciders import InProcessDecider
from tests.support.fakes import FakeClock, RecordingTransport
from tests.support.transactions import KEYS, pick_first
from webapp.kernel.tx import Database
from webapp.mail.compose import Composer
from webapp.play.bots.bot_turns import BotTurn


def main(url: str, step: str) -> None:
    clock = FakeClock()
    worker = WorkerContext(
        database=Database(url),
        keys=KEYS,
        composer=Composer(base_url="https://lodepost.test", mail_from="lodepost@lodepost.test"),
        transport=RecordingTransport(),
        mail_from="lodepost@lodepost.test",
        now=clock,
        database_time=lambda _: clock(),
        random_below=pick_first,
        is_stopping=lambda: False,
        nudge=lambda _: None,
        pause=clock.pause,
        decider=InProcessDecider(pick_first),
    )
    if step == "claimed":
        worker = replace(worker, decider=DyingDecider(pick_first))
    else:
        worker = replace(worker, nudge=die_with)
    bot_turns.play_bots(worker)


def die() -> NoReturn:
    os._exit(9)


def die_with(_: Collection[str]) -> NoReturn:
    die()


class DyingDecider(InProcessDecider):
    """Dies instead of deciding."""

    def begin(self, turn: BotTurn) -> None:  # noqa: ARG002 - as in InProcessDecider
        die()


if __name__ == "__main__":
    main(*sys.argv[1:])
