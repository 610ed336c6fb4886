"""People who use the site through a proxy all the time: they play turns, request sign-in emails and read pages."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count, cycle
from typing import Final

from flask import Flask

from tests.deploy.proxies import HOST, RunningProxy
from tests.deploy.proxy_client import Answer, ProxyClient, RequestFailed
from tests.support.cast import Character
from tests.support.factories import deal_game, sign_in_guest
from tests.support.html import Form
from tests.support.page_robot import decide, is_awaited, seeded_random_below
from webapp.kernel import urls
from webapp.kernel.system_time import utc_now
from webapp.kernel.tx import Database

# So that no one sends more requests than nginx allows one source, however fast this machine is.
_PAUSE_SECONDS: Final = 0.1
_READ_PATHS: Final = (urls.home(), urls.rules(), urls.about(), "/static/lodepost.css")


@dataclass
class Traffic:
    """What all people together requested, and what failed."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    clients: list[ProxyClient] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, kind: str) -> None:
        with self._lock:
            self.counts[kind] += 1

    def fail(self, failure: str) -> None:
        with self._lock:
            self.failures.append(failure)


class CountingClient(ProxyClient):
    """A client that counts its requests."""

    traffic: Traffic

    def get(self, path: str, **headers: str) -> Answer:
        self.traffic.count("GET")
        return super().get(path, **headers)

    def send(self, form: Form, **changed_fields: str) -> Answer:
        self.traffic.count("POST")
        return super().send(form, **changed_fields)


@contextmanager
def requesting(activities: Sequence[Callable[[], None]], traffic: Traffic) -> Iterator[None]:
    """Repeat each activity in a thread of its own until the end of the block, and after failures too."""

    def repeat(activity: Callable[[], None]) -> None:
        while not traffic.stopped.wait(_PAUSE_SECONDS):
            try:
                activity()
            except RequestFailed as failure:
                traffic.fail(str(failure))

    threads = [threading.Thread(target=repeat, args=[activity]) for activity in activities]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        traffic.stopped.set()
        for thread in threads:
            thread.join()
        for client in traffic.clients:
            client.close()


def playing(
    proxy: RunningProxy,
    app: Flask,
    database: Database,
    traffic: Traffic,
    *,
    name: str,
    network: str,
) -> Callable[[], None]:
    """Return what one table does: the next of its players opens the page, and takes a turn if it is theirs."""
    now = utc_now()
    characters = [Character(f"{name} {n}", f"{name}-{n}@example.test") for n in range(3)]
    guests = [sign_in_guest(database, character, now=now) for character in characters]
    slug = deal_game(database, guests, now=now)
    clients = [
        _client(proxy, traffic, source=f"{network}.{number}", cookie=_cookie_of(app, guest.cookie))
        for number, guest in enumerate(guests, 1)
    ]
    players, random_below = cycle(clients), seeded_random_below(name)

    def look_and_play() -> None:
        client = next(players)
        if is_awaited(client.page(urls.game(slug))):
            client.send(decide(client, slug, random_below))
            traffic.count("turn")

    return look_and_play


def signing_in(proxy: RunningProxy, traffic: Traffic) -> Callable[[], None]:
    """Return what newcomers do: each opens the form, sends it and gets to the next page. Each has an address of their own."""
    numbers = count(1)

    def request_email() -> None:
        number = next(numbers)
        source = f"127.1.{number // 250}.{number % 250 + 1}"
        with closing(_client(proxy, traffic, source=source)) as client:
            form = client.page(urls.sign_in()).form(urls.sign_in())
            client.send(form, address=f"{proxy.name}-{number}@example.test")
            client.page(urls.sign_in_code())

    return request_email


def reading(proxy: RunningProxy, traffic: Traffic, *, source: str) -> Callable[[], None]:
    """Return what a visitor does who only reads."""
    client, paths = _client(proxy, traffic, source=source), cycle(_READ_PATHS)

    def read_page() -> None:
        client.page(next(paths))

    return read_page


def _client(
    proxy: RunningProxy, traffic: Traffic, *, source: str, cookie: str = ""
) -> CountingClient:
    client = CountingClient(proxy, source=source, cookie=cookie)
    client.traffic = traffic
    traffic.clients.append(client)
    return client


def _cookie_of(app: Flask, token: str) -> str:
    """Return the cookie of a browser in which this session was opened."""
    client = app.test_client()
    with client.session_transaction(base_url=f"https://{HOST}") as session:
        session["token"] = token
    name = app.config["SESSION_COOKIE_NAME"]
    cookie = client.get_cookie(name, HOST)
    assert cookie is not None
    return f"{name}={cookie.value}"
