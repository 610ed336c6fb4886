"""A whole installation to measure: database, Redis, `lodepost web`, and client processes."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from typing import NamedTuple

from bench.shared.clients import client_processes, load
from bench.shared.games import Players, sign_in_players
from bench.shared.interleaving import LoadResult
from bench.shared.local_services import running_redis, running_server, settings_for
from bench.shared.web import WebServer, base_url, lodepost_web
from webapp.embedded.server import Server
from webapp.operations.queries.migrate import upgrade_schema

CLIENT_COUNT = 16
PROCESS_COUNT = 2
"""Web processes where many clients are measured: one for each core of the small server that the targets are for."""


class Testbed(NamedTuple):
    """The running parts of an installation, and the players in it."""

    server: Server
    url: str
    redis_url: str
    web: WebServer
    clients: Sequence[Connection]
    players: Players

    def load(
        self, port: int, requests_by_client: Sequence[Sequence[bytes]], *, expected_status: int
    ) -> LoadResult:
        """Let clients send these requests; every response must have the wanted status."""
        return load(self.clients, port, requests_by_client, expected_status)


@contextmanager
def running_testbed(process_count: int = 1) -> Iterator[Testbed]:
    """Start every part, `lodepost web` in so many processes, and stop all of them afterwards."""
    with ExitStack() as stack:
        server = stack.enter_context(running_server())
        server.ensure_database("bench")
        url = server.url_of("bench")
        upgrade_schema(url)
        redis_url = stack.enter_context(running_redis())
        web = stack.enter_context(lodepost_web(url, redis_url, process_count))
        clients = stack.enter_context(client_processes())
        players = sign_in_players(url, settings_for(url, BASE_URL=base_url(web.port)))
        stack.callback(players.database.dispose)
        yield Testbed(server, url, redis_url, web, clients, players)
