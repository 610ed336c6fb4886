"""The steps of a turn, an email and an answer in ARCHITECTURE.md are the ones that a traced turn takes."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tasks import delivery
from tasks.context import WorkerContext
from tests.support.cast import ALICE, BOB, CAROL
from tests.support.compiled_templates import create_app
from tests.support.fakes import FakeClock, RecordingTransport
from tests.support.page_robot import decide, seeded_random_below
from tests.support.replies import ADDRESSES, answer_and_read
from tests.support.transactions import KEYS, pick_first
from tests.support.visitors import Site, settings_for
from webapp.kernel import urls
from webapp.kernel.tx import Database
from webapp.mail.compose import Composer

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine.", "webapp.", "tasks.")


def functions_named_in(section: str) -> list[str]:
    """Return the dotted names with parentheses in a section of ARCHITECTURE.md, in order."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section_match = re.search(rf"^## {section}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section_match, section
    return re.findall(r"`((?:engine|webapp|tasks)\.[\w.]+)\(\)`", section_match[1])


@contextmanager
def traced_calls() -> Iterator[list[str]]:
    """Record every function of Lodepost that this thread calls, once each, in the order of the first call."""
    called_functions: dict[str, None] = {}

    def record(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith(PACKAGES):
            called_functions.setdefault(f"{module}.{frame.f_code.co_qualname}")

    names: list[str] = []
    sys.setprofile(record)
    try:
        yield names
    finally:
        sys.setprofile(None)
        names += called_functions


def assert_called_in_this_order(
    documented_functions: list[str], called_functions: list[str]
) -> None:
    assert len(documented_functions) >= 6
    assert [name for name in documented_functions if name not in called_functions] == []
    assert sorted(documented_functions, key=called_functions.index) == documented_functions


def test_a_traced_turn_calls_the_documented_functions_in_order(
    database: Database, database_url: str, clock: FakeClock
) -> None:
    app = create_app(
        settings_for(database_url), database=database, now=clock, send_task=lambda _: None
    )
    game = Site(app, database, clock).dealt_game(ALICE, BOB, CAROL)
    form = decide(game.visitors[0], game.slug, seeded_random_below("the life of a turn"))
    with traced_calls() as called_functions:
        answer = game.visitors[0].send(form)
        game.visitors[0].page(answer.location)
    assert answer.location == urls.game(game.slug)
    assert_called_in_this_order(functions_named_in("The life of a turn"), called_functions)


def worker_for(site: Site, transport: RecordingTransport) -> WorkerContext:
    clock = FakeClock()
    return WorkerContext(
        database=site.database,
        keys=KEYS,
        composer=Composer(base_url="https://lodepost.test", mail_from="lodepost@lodepost.test"),
        transport=transport,
        mail_from="lodepost@lodepost.test",
        now=clock,
        database_time=lambda _: clock(),
        random_below=pick_first,
        is_stopping=lambda: False,
        nudge=lambda _: None,
        own_addresses=ADDRESSES,
        pause=clock.pause,
    )


def test_a_traced_email_calls_the_documented_functions_in_order(site: Site) -> None:
    site.dealt_game(ALICE, BOB, CAROL)
    transport = RecordingTransport()
    worker = worker_for(site, transport)
    with traced_calls() as called_functions:
        delivery.deliver(worker)
    assert transport.sent()
    assert_called_in_this_order(functions_named_in("The life of an email"), called_functions)


def test_a_traced_answer_calls_the_documented_functions_in_order(site: Site) -> None:
    site.dealt_game(ALICE, BOB, CAROL)
    transport = RecordingTransport()
    worker = worker_for(site, transport)
    delivery.deliver(worker)
    with traced_calls() as called_functions:
        answer = answer_and_read(worker, transport, ALICE.address, "discard 1")
    assert str(answer["Subject"]).startswith("Done: ")
    assert_called_in_this_order(functions_named_in("The life of an answer"), called_functions)
