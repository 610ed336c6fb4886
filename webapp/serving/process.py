"""Run `lodepost serve` and `lodepost web`: start the parts, watch them, and stop them in order."""

import _thread
import gc
import logging
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from webapp.embedded.server import DATABASE, Server, start
from webapp.kernel.config import Settings
from webapp.kernel.keys import mailbox_key_for, with_stored_keys
from webapp.kernel.operator_errors import StartCancelled
from webapp.kernel.refusals import Unavailable
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database, transaction
from webapp.logs.fields import event_fields
from webapp.operations.backup_and_restore import finish_interrupted_restore
from webapp.operations.health import is_schema_behind
from webapp.operations.key_check import WRONG_KEY_ADVICE, WRONG_KEY_TEXT, check_key
from webapp.operations.queries.migrate import upgrade_schema
from webapp.serving.listener import ignore_new_connections, listener_at
from webapp.serving.web import WebThread
from webapp.serving.web_processes import WebProcesses

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication
    from celery import Celery


_CHECK_SECONDS = 0.5
_log = logging.getLogger(__name__)


class ServerThread(Protocol):
    """A thread of the server."""

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
    """Serve until SIGINT or SIGTERM, with an embedded Postgres unless DATABASE_URL is set.

    Return 0 after such a signal, 1 if a part has died.
    """
    with ExitStack() as stack, suppress(StartCancelled):
        # First, because an address in use should be reported before anything is created.
        listener = stack.enter_context(listener_at(settings.listen_host, settings.listen_port))
        stop_event = stack.enter_context(stop_signals())
        settings, postgres = _with_database(settings, stack, stop_event)
        upgrade_schema(settings.database_url)
        report_key(settings)
        celery = celery_for(settings)
        web = WebThread(create_app(settings, celery), listener)
        background_threads = _create_background_threads(celery)
        _exclude_loaded_code_from_gc()
        # Stopped in reverse order: the pages last, so that players see an error for the shortest time.
        web.start()
        stack.callback(web.stop)
        stack.callback(ignore_new_connections, listener)
        for thread in background_threads:
            thread.start()
            stack.callback(thread.stop)
        _print_address(settings)
        return _watch_threads([web, *background_threads], postgres, stop_event)
    return 0


def serve_pages(
    settings: Settings,
    *,
    create_app: "Callable[[Settings], WSGIApplication]",
    process_count: int = 1,
) -> int:
    """Serve only pages until SIGINT or SIGTERM; workers run elsewhere.

    The first signal only makes the processes unready: they answer requests for ``drain_seconds`` more, until the proxy in
    front has noticed. Then they stop accepting connections and finish the requests that they have.
    """
    with ExitStack() as stack:
        listener = stack.enter_context(listener_at(settings.listen_host, settings.listen_port))
        stop_event = stack.enter_context(stop_signals())
        app = create_app(settings)
        _exclude_loaded_code_from_gc()
        # So that a request waits for the first process that can answer it.
        listener.listen()
        _print_address(settings)
        if process_count > 1:
            return _serve_from_processes(app, listener, settings, stop_event, process_count)
        return _serve_from_thread(app, listener, settings, stop_event)


def _serve_from_processes(
    app: "WSGIApplication",
    listener: socket.socket,
    settings: Settings,
    stop_event: threading.Event,
    count: int,
) -> int:
    processes = WebProcesses(lambda: WebThread(app, listener), count)
    try:
        processes.watch(stop_event)
        processes.drain()
        time.sleep(settings.drain_seconds)
        ignore_new_connections(listener)
    finally:
        # As long as it is open here, the kernel accepts connections that no process will answer.
        listener.close()
        status = processes.stop()
    return status


def _serve_from_thread(
    app: "WSGIApplication",
    listener: socket.socket,
    settings: Settings,
    stop_event: threading.Event,
) -> int:
    web = WebThread(app, listener)
    web.start()
    try:
        status = _watch_threads([web], None, stop_event)
        if status == 0:
            web.drain()
            time.sleep(settings.drain_seconds)
            ignore_new_connections(listener)
        return status
    finally:
        web.stop()


def report_key(settings: Settings) -> None:
    """Log an error for a wrong key, and let the database expect a new one. The process starts all the same, to show pages."""
    try:
        with (
            Database(settings.database_url, pool_size=1) as database,
            transaction(database, utc_now()) as tx,
        ):
            if is_schema_behind(tx):
                return
            state = check_key(tx, settings.secret_key, settings.old_secret_keys)
    except Unavailable:
        _log.warning("The database does not answer, so SECRET_KEY was not checked.")
        return
    if state == "wrong":
        _log.error("%s %s", WRONG_KEY_TEXT, WRONG_KEY_ADVICE)
    if state == "replaced":
        _log.warning("The database expects the new SECRET_KEY from now on; old ones still count.")


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Yield an event that SIGINT and SIGTERM set; a second signal ends the process at once."""
    stop_event = threading.Event()
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        # In another thread, because the main thread, which runs this, may be holding the lock of the event.
        _thread.start_new_thread(stop_event.set, ())

    for number in previous:
        signal.signal(number, stop)
    yield stop_event
    for number, action in previous.items():
        signal.signal(number, action)


def _with_database(
    settings: Settings, stack: ExitStack, stop_event: threading.Event
) -> tuple[Settings, Server | None]:
    """Start the embedded database if DATABASE_URL is not set, and load the secret key in its data folder.

    Raises StartCancelled if the event is set meanwhile.
    """
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    if settings.database_url:
        return settings, None
    postgres = start(settings.data_dir, is_stopping=stop_event.is_set)
    stack.callback(postgres.stop)
    postgres.ensure_database(DATABASE)
    finish_interrupted_restore(postgres.url_of(DATABASE), settings.data_dir)
    settings = with_stored_keys(settings)
    return replace(settings, database_url=postgres.url_of(DATABASE)), postgres


def _create_background_threads(celery: "Celery") -> list[ServerThread]:
    from webapp.serving.worker import BeatThread, WorkerThread

    return [WorkerThread(celery), BeatThread(celery)]


def _exclude_loaded_code_from_gc() -> None:
    """Keep the garbage collector from scanning everything that was imported during requests."""
    gc.collect()
    gc.freeze()


def _print_address(settings: Settings) -> None:
    key = mailbox_key_for(settings)
    mailbox_note = f"  (emails: {settings.base_url}/mailbox?key={key})" if key else ""
    print(f"Lodepost is at {settings.base_url}/{mailbox_note}", flush=True)  # noqa: T201 (the startup line)


def _watch_threads(
    parts: list[ServerThread], postgres: Server | None, stop_event: threading.Event
) -> int:
    """Wait until the server should stop, restarting Postgres if it dies."""
    while not stop_event.wait(_CHECK_SECONDS):
        if postgres is not None and not postgres.is_running():
            _log.error(
                "Postgres has died; restarting it.",
                extra=event_fields("part-died", part="postgres"),
            )
            postgres.restart()
        for part in parts:
            if not part.is_alive():
                _log.critical(
                    "The thread '%s' has died; Lodepost is stopping.",
                    part.name,
                    extra=event_fields("part-died", part=part.name),
                )
                return 1
    return 0
