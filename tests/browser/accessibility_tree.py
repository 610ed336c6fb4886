"""What a screen reader is given of a page: Chromium's accessibility tree as lines of text, in reading order."""

from collections.abc import Iterator
from typing import Any, Final

from playwright.sync_api import Page

from tests.support.redis import wait_until

_READ_AS_ONE: Final = frozenset({"link", "heading", "button", "image", "DisclosureTriangle"})
"""Roles whose content is their name: what is inside them is not read again."""
_UNSPOKEN: Final = frozenset({"none", "generic", "ListMarker", "InlineTextBox", "LineBreak"})
_STATES: Final = ("expanded", "disabled", "checked", "pressed", "invalid")


def spoken_lines(page: Page) -> list[str]:
    """Return role, name, state and description of everything in the main part of the page."""
    nodes = _nodes_of_loaded_page(page)
    [main] = [node for node in nodes if _value(node, "role") == "main"]
    return list(_lines(main, {node["nodeId"]: node for node in nodes}, 0))


def _nodes_of_loaded_page(page: Page) -> list[dict[str, Any]]:
    """Return the tree as soon as it has a main part: Chromium builds it after the page is loaded."""
    session = page.context.new_cdp_session(page)
    nodes: list[dict[str, Any]] = []

    def has_main_part() -> bool:
        nodes[:] = session.send("Accessibility.getFullAXTree")["nodes"]
        return any(_value(node, "role") == "main" for node in nodes)

    page.wait_for_load_state()
    wait_until(has_main_part)
    return nodes


def _lines(node: dict[str, Any], nodes_by_id: dict[str, Any], depth: int) -> Iterator[str]:
    role = str(_value(node, "role"))
    is_spoken = not node["ignored"] and role not in _UNSPOKEN
    if is_spoken:
        yield "  " * depth + _spoken(node, role)
    if is_spoken and role in _READ_AS_ONE:
        return
    for child_id in node.get("childIds", ()):
        yield from _lines(nodes_by_id[child_id], nodes_by_id, depth + is_spoken)


def _spoken(node: dict[str, Any], role: str) -> str:
    name, description = _value(node, "name").strip(), _value(node, "description").strip()
    if role == "StaticText":
        return name
    states = [
        f"{state['name']}: {state['value']['value']}"
        for state in node.get("properties", ())
        if state["name"] in _STATES and state["value"]["value"] not in {"false", ""}
    ]
    facts = "".join(f" [{fact}]" for fact in states)
    return f"{role} {name}".rstrip() + facts + (f" — {description}" if description else "")


def _value(node: dict[str, Any], part: str) -> str:
    return str(node.get(part, {}).get("value", ""))
