"""The whole of Lodepost in one process, from the first look at the data to the last good-bye."""

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from webapp.config import Settings, mailbox_key_for
from webapp.embedded.server import DATABASE, Server, start
from webapp.keys import secret_key_in
from webapp.serving.web import WebThread, listener_at
from webapp.store.operations.migrate import upgrade

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication
    from celery import Celery

_LOOK_EVERY = 0.5


class Part(Protocol):
    """One thread of the server."""

    name: str

    def start(self) -> None: ...
    def is_alive(self) -> bool: ...
    def stop(self) -> None: ...


def serve(
    settings: Settings,
    *,
    create_app: "Callable[[Settings, Celery], WSGIApplication]",
    celery_for: "Callable[[Settings], Celery]",
) -> int:
    """Serve until SIGINT or SIGTERM, with a Postgres of our own unless one is named.

    Returns 0 after a stop that was asked for, 1 when a part has died.
    """
    with ExitStack() as stack:
        # The address first: whether it is free is known at once.
        listener = stack.enter_context(listener_at(settings.listen_host, settings.listen_port))
        stopped = stack.enter_context(_stop_signals())
        settings, postgres = _with_database(settings, stack)
        upgrade(settings.database_url)
        celery = celery_for(settings)
        parts = _parts_of(create_app(settings, celery), listener, celery)
        _keep_loaded_code_out_of_collections()
        for part in parts:
            part.start()
            stack.callback(part.stop)
        _say_where(settings)
        return _watch(parts, postgres, stopped)


def serve_pages(settings: Settings, *, create_app: "Callable[[Settings], WSGIApplication]") -> int:
    """Answer HTTP alone, beside workers elsewhere, until SIGINT or SIGTERM."""
    with ExitStack() as stack:
        listener = stack.enter_context(listener_at(settings.listen_host, settings.listen_port))
        stopped = stack.enter_context(_stop_signals())
        web = WebThread(create_app(settings), listener)
        _keep_loaded_code_out_of_collections()
        web.start()
        stack.callback(web.stop)
        _say_where(settings)
        return _watch([web], None, stopped)


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """Yield an event that SIGINT and SIGTERM set; a second signal ends the process at once."""
    stopped = threading.Event()
    earlier = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, _frame: FrameType | None) -> None:
        stopped.set()
        signal.signal(number, signal.SIG_DFL)

    for number in earlier:
        signal.signal(number, stop)
    yield stopped
    for number, action in earlier.items():
        signal.signal(number, action)


def _with_database(settings: Settings, stack: ExitStack) -> tuple[Settings, Server | None]:
    """Fill in what the operator left to us: the database, and a secret key beside it."""
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    if settings.database_url:
        return settings, None
    postgres = start(settings.data_dir)
    stack.callback(postgres.stop)
    postgres.ensure_database(DATABASE)
    secret_key = settings.secret_key or secret_key_in(settings.data_dir)
    url = postgres.url_of(DATABASE)
    return replace(settings, database_url=url, secret_key=secret_key), postgres


def _parts_of(app: "WSGIApplication", listener: socket.socket, celery: "Celery") -> list[Part]:
    from webapp.serving.work import BeatThread, WorkerThread

    # Stopped in the reverse order: pages last, so that nobody is turned away for long.
    return [WebThread(app, listener), WorkerThread(celery), BeatThread(celery)]


def _keep_loaded_code_out_of_collections() -> None:
    """Spare requests the walk through everything that was imported."""
    gc.collect()
    gc.freeze()


def _say_where(settings: Settings) -> None:
    key = mailbox_key_for(settings)
    mails = f"  (mails: {settings.base_url}/mailbox?key={key})" if key else ""
    print(f"Lodepost is at {settings.base_url}/{mails}", flush=True)  # noqa: T201 (the one line)


def _watch(parts: list[Part], postgres: Server | None, stopped: threading.Event) -> int:
    """Wait for the end, bringing the database back should it die before."""
    while not stopped.wait(_LOOK_EVERY):
        if postgres is not None and not postgres.runs():
            _complain("Postgres has died; starting it again.")
            postgres.start_again()
        for part in parts:
            if not part.is_alive():
                _complain(f"The thread '{part.name}' has died; Lodepost stops.")
                return 1
    return 0


def _complain(words: str) -> None:
    print(words, file=sys.stderr, flush=True)  # noqa: T201 (the operator's terminal)
