"""The anchor of pages and turns: only Flask and SQLAlchemy, behind the same web server in as many processes."""

import os
import sys
from typing import Final

from flask import Flask
from sqlalchemy import text

from bench.shared.local_services import autocommit_connection
from webapp.kernel.config import Settings, settings_from
from webapp.kernel.database import engine_for
from webapp.serving.process import serve_pages

ROW_COUNT: Final = 2_000
_CREATE_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS bare_row AS SELECT n AS id, 0 AS seq FROM generate_series(1, {}) AS n",
    "CREATE UNIQUE INDEX IF NOT EXISTS bare_row_id ON bare_row (id)",
    "ANALYZE bare_row",
)
_READ: Final = text("SELECT seq FROM bare_row WHERE id = :id")
_WRITE: Final = text("UPDATE bare_row SET seq = seq + 1 WHERE id = :id RETURNING seq")


def bare_app(settings: Settings) -> Flask:
    """Return pages that each read one row, and a form that writes it."""
    app = Flask("bare")
    engine = engine_for(settings.database_url)
    autocommit_engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    @app.get("/rows/<int:number>")
    def read(number: int) -> str:
        with autocommit_engine.connect() as connection:
            return str(connection.execute(_READ, {"id": number}).scalar_one())

    @app.post("/rows/<int:number>")
    def write(number: int) -> tuple[str, int]:
        with autocommit_engine.connect() as connection:
            return str(connection.execute(_WRITE, {"id": number}).scalar_one()), 303

    return app


def row_path(number: int) -> str:
    """Return the page of a row; the numbers may be any, they begin again after the last row."""
    return f"/rows/{1 + number % ROW_COUNT}"


def main() -> int:
    """Serve in as many processes as the argument says, until a signal ends it."""
    settings = settings_from(os.environ)
    with autocommit_connection(settings.database_url) as connection:
        for statement in _CREATE_TABLE:
            connection.execute(statement.format(ROW_COUNT).encode())
    return serve_pages(settings, create_app=bare_app, process_count=int(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
