"""A whole installation to be measured: database, Redis, `lodepost web`, and clients that wait to be told what to send."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from typing import NamedTuple

from bench.shared.clients import client_processes, load
from bench.shared.place import running_redis, running_server, settings_for
from bench.shared.play import Company, company_in
from bench.shared.rounds import Load
from bench.shared.web import Web, base_url, lodepost_web
from webapp.embedded.server import Server
from webapp.store.operations.migrate import upgrade

CLIENTS = 16


class Stage(NamedTuple):
    """What there is to measure with."""

    server: Server
    url: str
    redis_url: str
    web: Web
    clients: Sequence[Connection]
    company: Company

    def load(self, port: int, shares: Sequence[Sequence[bytes]], *, want: int) -> Load:
        """Let clients send these requests; each answer must have this status."""
        return load(self.clients, port, shares, want)


@contextmanager
def staged() -> Iterator[Stage]:
    """Everything started, and everything gone afterwards."""
    with ExitStack() as stack:
        server = stack.enter_context(running_server())
        server.ensure_database("bench")
        url = server.url_of("bench")
        upgrade(url)
        redis_url = stack.enter_context(running_redis())
        web = stack.enter_context(lodepost_web(url, redis_url))
        clients = stack.enter_context(client_processes())
        company = company_in(url, settings_for(url, BASE_URL=base_url(web.port)))
        stack.callback(company.database.dispose)
        yield Stage(server, url, redis_url, web, clients, company)
