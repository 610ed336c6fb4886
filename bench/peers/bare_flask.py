"""The anchor of pages: only Flask and SQLAlchemy, behind the same web server."""

import gc
import os
import sys

from flask import Flask
from sqlalchemy import text

from webapp.kernel.database import engine_for
from webapp.serving.web import WebThread, listener_at


def bare_app(url: str) -> Flask:
    """Return hello at / and read one row at /row."""
    app = Flask("bare")
    engine = engine_for(url)

    @app.get("/")
    def hello() -> str:
        return "hello"

    @app.get("/row")
    def row() -> str:
        with engine.connect() as connection:
            return str(connection.execute(text("SELECT 1")).scalar_one())

    return app


def main() -> None:
    """Serve on the given port until killed."""
    web = WebThread(
        bare_app(os.environ["DATABASE_URL"]), listener_at("127.0.0.1", int(sys.argv[1]))
    )
    gc.collect()
    gc.freeze()
    web.start()
    web.join()


if __name__ == "__main__":
    main()
