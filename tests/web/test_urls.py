"""Every function of webapp.urls leads to a route, and every route has such a function."""

import inspect
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

import pytest
from flask import Flask

from engine.actions import Discard
from webapp import urls

_URL_ARGUMENTS: dict[str, str | int] = {
    "action": Discard("map"),
    "slug": "abcdefgh2345",
    "token": "tok_en-9=",
    "ref": "ref_-9",
    "key": "en-2004",
    "seat": 1,
    "number": 1,
    "member": 1,
    "season": 1,
    "absence_id": 1,
    "vote_id": 1,
    "seq": 1,
    "name": "imprint",
    "act": "extend",
    "kind": "ban",
}
_VERBS_BY_FUNCTION = {
    "lobby_action": (
        "sit",
        "leave",
        "ready",
        "unready",
        "fill",
        "remove",
        "cancel",
        "starter",
        "invite",
    ),
    "club_action": (
        "ask",
        "leave",
        "announce",
        "emails",
        "members",
        "invite",
        "link",
        "settings",
        "seasons",
        "close",
    ),
    "club_member_action": ("approve", "refuse", "remove", "promote", "demote", "hand-over"),
}
"""What may be asked by the functions whose last argument is a verb."""


def _all_urls() -> list[str]:
    functions = inspect.getmembers(urls, inspect.isfunction)
    url_functions = [
        (name, function)
        for name, function in functions
        if function.__module__.startswith("webapp.urls.")
    ]
    return [
        _url_from(function, *verb)
        for name, function in url_functions
        if not name.startswith(("_", "mailbox"))
        and name not in {"absolute_url", "dashboard_or_none", "email_reports"}
        for verb in (
            [(verb,) for verb in _VERBS_BY_FUNCTION[name]] if name in _VERBS_BY_FUNCTION else [()]
        )
    ]


def _url_from(function: Callable[..., str], *verb: str) -> str:
    parameters = inspect.signature(function).parameters.values()
    arguments = [
        _URL_ARGUMENTS[parameter.name]
        for parameter in parameters
        if parameter.default is parameter.empty and parameter.name in _URL_ARGUMENTS
    ]
    return function(*arguments, *verb)


def path_of(url: str) -> str:
    """Return the path as the server decodes it."""
    return unquote(urlsplit(url).path)


@pytest.mark.parametrize("url", _all_urls())
def test_url_leads_to_a_page(app: Flask, url: str) -> None:
    assert app.url_map.bind("localhost").allowed_methods(path_of(url))


def test_every_route_has_a_url_function(app: Flask) -> None:
    adapter = app.url_map.bind("localhost")
    reached_endpoints = set()
    for url in _all_urls():
        path = path_of(url)
        for method in adapter.allowed_methods(path):
            reached_endpoints.add(adapter.match(path, method)[0])
    missing_endpoints = {rule.endpoint for rule in app.url_map.iter_rules()} - reached_endpoints
    assert missing_endpoints <= {"static"} | {
        name for name in missing_endpoints if name.startswith("mailbox.")
    }


def test_url_parts_are_quoted() -> None:
    assert urls.game("a/b?c#d") == "/games/a%2Fb%3Fc%23d"
    assert urls.game("abc", card="x&y=z") == "/games/abc?card=x%26y%3Dz"
    assert urls.rulebook("en-2004", "R15") == "/rules/en-2004#R15"
    assert (
        urls.absolute_url("https://play.example.org/", urls.next_game())
        == "https://play.example.org/next"
    )
