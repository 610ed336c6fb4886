"""A site with everything in it that can be told: games, lobbies, invitations, sign-ins, letters. It can be laid out in two worlds."""

import io
import logging
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, TypeAlias

from flask import Flask
from sqlalchemy import event, text

from engine.state import State
from engine.view import awaiting
from tasks.context import WorkerContext
from tests.leaks.counterfactual_games import lay, log_of, some_game
from tests.leaks.stock import RULEBOOK, Stock
from tests.support.compiled_templates import create_app
from tests.support.engine.counterfactual_games import PlayedGame, counterfactual_game
from tests.support.engine.seeded_random import SeededRng
from tests.support.factories import (
    KEYS,
    Guest,
    counted_tokens,
    first,
    look,
)
from tests.support.fakes import Recording
from tests.support.postgres import Postgres
from tests.support.visitors import FakeClock, Visitor, settings_for
from webapp.config import Settings
from webapp.logs import masking_handler, secrets_of
from webapp.mail.compose import Composer
from webapp.services.tx import Database, Nudge, database_for
from webapp.web.context import current_context, install_context

Reader: TypeAlias = int | Literal["onlooker", "stranger", "nobody"]
"""The number of a seat; somebody without an account; somebody with one who does not play; who may know nothing at all."""
READERS: tuple[Reader, ...] = (0, 1, 2, 3, "onlooker", "stranger")
METRICS_TOKEN = "a token of those who watch, long enough".replace(" ", "-")
ORIGIN = "http://lodepost.test"


class Locals(logging.Handler):
    """What trackers of errors keep of a fault that is logged: the traceback with all local variables."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            fault = traceback.TracebackException.from_exception(
                record.exc_info[1], capture_locals=True
            )
            self.seen.append("".join(fault.format()))


@dataclass(kw_only=True)
class Ground:
    """One world, with the site and the worker that run in it, and all that they say beside their answers."""

    stock: Stock
    reader: Reader
    state: State
    """The position of the running game."""
    database: Database
    settings: Settings
    app: Flask
    context: WorkerContext
    recording: Recording
    sent: list[str]
    """The nudges that were given."""
    journal: io.StringIO = field(default_factory=io.StringIO)
    locals: Locals = field(default_factory=Locals)
    asked: list[str] = field(default_factory=list)
    """The statements that the database was given."""

    @property
    def observer(self) -> int | None:
        return self.reader if isinstance(self.reader, int) else None

    def guest(self) -> Guest | None:
        """The reader as somebody who is signed in."""
        if isinstance(self.reader, int):
            return self.stock.seated[self.reader]
        return self.stock.mallory if self.reader == "stranger" else None

    def visitor(self) -> Visitor:
        """A browser of the reader."""
        guest = self.guest()
        visitor = Visitor(self.app, self.app.test_client())
        return visitor if guest is None else visitor.with_session(guest.cookie)

    def say(self, statement: str, **values: object) -> None:
        with self.database.engine.begin() as connection:
            connection.execute(text(statement), values)


Plant: TypeAlias = Callable[[Ground], None]


_HIDDEN = ("roles", "hands", "goals", "deck", "pile", "gold")
"""Parts of a position that are to differ between the two worlds."""


@cache
def _composer() -> Composer:
    """One for all grounds, for it compiles every letter and remembers none."""
    return Composer(base_url=ORIGIN, mail_from="lodepost@lodepost.test")


@cache
def position_for(reader: Reader) -> tuple[PlayedGame, PlayedGame, int]:
    """A game in its second round, the other world that the reader cannot tell from it, and the turn at which to look."""
    observer = reader if isinstance(reader, int) else None
    for seed in range(200):
        told = some_game(RULEBOOK, seed)
        for step in _steps_for(told, observer):
            other = counterfactual_game(told, observer, SeededRng(1))
            if _are_far_apart(told.states[step], other.states[step]):
                return told, other, step
    message = "no two worlds are so far apart"
    raise AssertionError(message)


def _steps_for(told: PlayedGame, observer: int | None) -> list[int]:
    """The first turn of the second round that is the observer's own, if there is one."""
    steps = range(len(told.states))
    return [step for step in steps if _is_wanted(told.states[step], observer)][:1]


def _is_wanted(state: State, observer: int | None) -> bool:
    due = awaiting(state)
    return state.round == 2 and due is not None and observer in (None, due.seat)


def _are_far_apart(one: State, other: State) -> bool:
    return all(getattr(one, name) != getattr(other, name) for name in _HIDDEN)


@contextmanager
def ground(
    postgres: Postgres, stock: Stock, reader: Reader, *, other: bool, plant: Plant | None = None
) -> Iterator[Ground]:
    """The reader's world, or the ``other`` one, on a database of its own; a plant makes it leak."""
    with postgres.copy_of(stock.url) as url, _opened(url) as database:
        here, there, step = position_for(reader)
        one = _built(database, url, stock, reader, (there if other else here).states[step])
        _lay(one, there if other else here, other=other)
        if other:
            disguise(one)
        if plant is not None:
            plant(one)
        with _overheard(one):
            yield one


@contextmanager
def _opened(url: str) -> Iterator[Database]:
    database = database_for(url, pool_size=4)
    yield database
    database.dispose()


def _built(database: Database, url: str, stock: Stock, reader: Reader, state: State) -> Ground:
    settings = settings_for(url, metrics_token=METRICS_TOKEN)
    sent, recording = list[str](), Recording()
    tokens = counted_tokens("of the walk")
    app = create_app(settings, database=database, now=FakeClock(), tokens=tokens)

    def nudge(nudges: Collection[Nudge]) -> None:
        """Every one is heard; how many go to the broker together is for time to say."""
        sent.extend(sorted(nudges))

    with app.app_context():
        install_context(app, replace(current_context(), nudge=nudge))
    context = WorkerContext(
        database=database,
        keys=KEYS,
        composer=_composer(),
        transport=recording,
        mail_from="lodepost@lodepost.test",
        now=FakeClock(),
        pick=first,
        is_stopping=lambda: False,
        nudge=nudge,
    )
    return Ground(
        stock=stock,
        reader=reader,
        state=state,
        database=database,
        settings=settings,
        app=app,
        context=context,
        recording=recording,
        sent=sent,
    )


def _lay(one: Ground, told: PlayedGame, *, other: bool) -> None:
    row = look(one.database, one.stock.running, one.stock.seated[0]).row
    log = log_of(row.id, told, observer=one.observer, other=other)
    lay(one.database, row.id, log, one.state)


def disguise(one: Ground) -> None:
    """Change all that is nobody's business but other people's: addresses, languages, zones, wishes, salts, secrets, sessions."""
    guest = one.guest()
    me = 0 if guest is None else guest.person.id
    for statement in _DISGUISES:
        one.say(statement, me=me)


_DISGUISES = (
    """UPDATE account SET address = 'another-' || address, language = 'sv', zone = 'Asia/Tokyo',
       picks_gold = NOT picks_gold WHERE id <> :me""",
    "UPDATE session SET user_agent = 'quite another browser', ref = 'x' || ref WHERE account_id <> :me",
    "UPDATE invitation SET address = 'another-' || address WHERE invited_by <> :me",
    """UPDATE seat SET salt = salt || 'pepper' WHERE octet_length(salt) > 0 AND account_id <> :me
       AND game_id IN (SELECT id FROM game WHERE status = 'ready-check')""",
    """UPDATE secret SET gold = sha256(gold), round_1 = sha256(round_1), round_2 = sha256(round_2),
       round_3 = sha256(round_3)""",
    "UPDATE sign_in SET nonce = sha256(nonce), code_hash = sha256(code_hash) WHERE used_at IS NULL",
)


@contextmanager
def _overheard(one: Ground) -> Iterator[None]:
    """Write down, as JSON and down to DEBUG, whatever is logged; note the locals of every fault, and every statement."""
    root, written = (
        logging.getLogger(),
        masking_handler(one.journal, secrets=secrets_of(one.settings)),
    )
    level, handlers = root.level, (written, one.locals)
    engines = (one.database.engine, one.database.looking)

    def note(_c: object, _cur: object, statement: str, *_others: object) -> None:
        one.asked.append(statement)

    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield
    root.setLevel(level)
    for handler in handlers:
        root.removeHandler(handler)
