"""Every address of webapp.kernel.urls leads to a route, and every route has such an address."""

from urllib.parse import unquote, urlsplit

import pytest
from flask import Flask

from webapp.kernel import urls
from webapp.kernel.urls import Address

_PART_VALUES: dict[str, str | int] = {
    "slug": "abcdefgh2345",
    "link": "tok_en-9=",
    "token": "tok_en-9=",
    "ref": "ref_-9",
    "key": "en-2004",
    "seat": 1,
    "number": 1,
    "member": 1,
    "season": 1,
    "vote_id": 1,
    "seq": 1,
    "name": "imprint",
    "act": "extend",
    "kind": "ban",
}
_VERBS_BY_ADDRESS = {
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
"""What may be asked at the addresses that end with a verb."""


def _all_urls() -> list[str]:
    addresses = {name: value for name, value in vars(urls).items() if isinstance(value, Address)}
    return [
        address(*map(_PART_VALUES.__getitem__, _names_of_parts(address)), *verb)
        for name, address in addresses.items()
        if not name.startswith("mailbox") and name not in {"email_reports", "style"}
        for verb in ([(verb,) for verb in _VERBS_BY_ADDRESS.get(name, ())] or [()])
    ]


def _names_of_parts(address: Address) -> list[str]:
    parts = address.rule.split("<")[1:]
    return [name for part in parts if (name := part.partition(">")[0].split(":")[-1]) != "verb"]


def path_of(url: str) -> str:
    """Return the path as the server decodes it."""
    return unquote(urlsplit(url).path)


@pytest.mark.parametrize("url", _all_urls())
def test_url_leads_to_a_page(app: Flask, url: str) -> None:
    assert app.url_map.bind("localhost").allowed_methods(path_of(url))


def test_every_route_has_an_address(app: Flask) -> None:
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


def test_addresses_refuse_a_wrong_number_of_parts_and_unknown_verbs() -> None:
    for parts in ((), ("a", "b")):
        with pytest.raises(ValueError, match=r"zip\(\) argument"):
            urls.game(*parts)
    with pytest.raises(ValueError, match="is not one of"):
        urls.club_member_action("abc", 1, "praise")


def test_url_parts_are_quoted() -> None:
    assert urls.game("a/b?c#d") == "/games/a%2Fb%3Fc%23d"
    assert urls.game("abc", card="x&y=z", cell=None) == "/games/abc?card=x%26y%3Dz"
    assert urls.move("tok=", do="lay A/4") == "/m/tok%3D?do=lay+A%2F4"
    assert (
        urls.absolute_url("https://play.example.org/", urls.next_game())
        == "https://play.example.org/next"
    )
