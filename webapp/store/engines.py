from typing import Final

import psycopg
from sqlalchemy import Engine, ExceptionContext, create_engine, event
from sqlalchemy.engine.interfaces import IsolationLevel

from webapp.store.blobs import take_blobs
from webapp.store.errors import hide_row

# A page that would wait longer than this is of no use to anybody; neither is a lock held for a process that died.
_TIMEOUTS: Final = {
    "statement_timeout": "10s",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "30s",
    "timezone": "UTC",
}
_CONNECT_SECONDS: Final = 5


_LOOKING: Final = {"default_transaction_read_only": "on"}


def engine_for(url: str, *, pool_size: int = 10) -> Engine:
    """The engine for ``postgresql://`` or ``postgresql+psycopg://``; connects when first used."""
    engine = _engine(url, pool_size, _TIMEOUTS)
    event.listen(engine, "handle_error", _tell_of_read_only, retval=True)
    return engine


def looking_engine_for(url: str, *, pool_size: int = 10) -> Engine:
    """An engine for pages that only look: the database itself refuses to change anything.

    Each statement stands for itself, so that neither BEGIN nor COMMIT costs a page a round trip.
    """
    return _engine(url, pool_size, _TIMEOUTS | _LOOKING, isolation="AUTOCOMMIT")


def _engine(
    url: str,
    pool_size: int,
    settings: dict[str, str],
    *,
    isolation: IsolationLevel | None = None,
) -> Engine:
    engine = create_engine(
        _with_driver(url),
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=_CONNECT_SECONDS,
        pool_recycle=3600,
        # What a statement is given may be a hand or a token: it never stands in an error.
        hide_parameters=True,
        isolation_level=isolation,
        connect_args={
            "connect_timeout": _CONNECT_SECONDS,
            "application_name": "lodepost",
            "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
        },
    )
    event.listen(engine, "handle_error", _hide_row)
    event.listen(engine, "connect", take_blobs)
    return engine


def _hide_row(failed: ExceptionContext) -> None:
    problem, wrapped = failed.original_exception, failed.sqlalchemy_exception
    if not isinstance(problem, psycopg.Error):
        return
    said = hide_row(problem)
    if wrapped is not None:
        wrapped.args = (f"({type(problem).__name__}) {said}",)


def _tell_of_read_only(failed: ExceptionContext) -> BaseException | None:
    """A server that takes no changes (a standby, or one that its operator has closed) is away for whoever writes."""
    problem = failed.original_exception
    return problem if isinstance(problem, psycopg.errors.ReadOnlySqlTransaction) else None


def _with_driver(url: str) -> str:
    scheme, colon, rest = url.partition("://")
    return f"postgresql+psycopg{colon}{rest}" if scheme in {"postgres", "postgresql"} else url
