"""Every address that letters and pages are given leads to a page of this application."""

import inspect
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

import pytest
from flask import Flask

from webapp import urls

_ARGUMENTS = {
    "slug": "abcdefgh2345",
    "token": "tok_en-9=",
    "ref": "ref_-9",
    "key": "en-2004",
}
_VERBS = ("sit", "stand", "ready", "unready", "fill", "cancel", "starter", "invite")


def _addresses() -> list[str]:
    functions = inspect.getmembers(urls, inspect.isfunction)
    own = [(name, function) for name, function in functions if function.__module__ == urls.__name__]
    made = [
        _call(function)
        for name, function in own
        if not name.startswith(("_", "mailbox")) and name not in {"absolute", "lobby_action"}
    ]
    return [*made, *(urls.lobby_action("abcdefgh2345", verb) for verb in _VERBS)]


def _call(function: Callable[..., str]) -> str:
    wanted = inspect.signature(function).parameters.values()
    given = [
        _ARGUMENTS[one.name]
        for one in wanted
        if one.default is one.empty and one.name in _ARGUMENTS
    ]
    return function(*given)


def path_of(address: str) -> str:
    """The path as the server decodes it."""
    return unquote(urlsplit(address).path)


@pytest.mark.parametrize("address", _addresses())
def test_url_leads_to_a_page(app: Flask, address: str) -> None:
    assert app.url_map.bind("localhost").allowed_methods(path_of(address))


def test_every_route_has_a_url_function(app: Flask) -> None:
    adapter = app.url_map.bind("localhost")
    reached = set()
    for address in _addresses():
        path = path_of(address)
        for method in adapter.allowed_methods(path):
            reached.add(adapter.match(path, method)[0])
    missing = {rule.endpoint for rule in app.url_map.iter_rules()} - reached
    assert missing <= {"static"} | {name for name in missing if name.startswith("mailbox.")}


def test_url_parts_are_quoted() -> None:
    assert urls.game("a/b?c#d") == "/games/a%2Fb%3Fc%23d"
    assert urls.game("abc", card="x&y=z") == "/games/abc?card=x%26y%3Dz"
    assert urls.rulebook("en-2004", "R15") == "/rules/en-2004#R15"
    assert (
        urls.absolute("https://play.example.org/", urls.next_game())
        == "https://play.example.org/next"
    )
