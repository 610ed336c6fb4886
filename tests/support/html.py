"""Parse a page as a browser without scripts shows it: links, forms and text."""

from dataclasses import dataclass, field
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_HIDDEN_TAGS: Final = ["script", "style", "title", "desc"]
_CHOICE_INPUT_TYPES: Final = frozenset({"checkbox", "radio"})


@dataclass
class Link:
    href: str
    classes: tuple[str, ...]
    is_current: bool
    text: str = ""


@dataclass
class Form:
    action: str
    method: str
    element_id: str
    fields: dict[str, Any] = field(default_factory=dict)
    """Texts; a list of them for several checked boxes of one name."""
    buttons: list[tuple[str, str]] = field(default_factory=list)
    choices: dict[str, list[str]] = field(default_factory=dict)


class Page:
    """The links, forms and visible text of one page."""

    def __init__(self, html: str) -> None:
        tree = LexborHTMLParser(html)
        self.element_ids = [_attribute(node, "id") for node in tree.css("[id]")]
        tree.strip_tags(_HIDDEN_TAGS, recursive=True)
        visible_text = tree.body.text(separator=" ") if tree.body is not None else ""
        self.text = " ".join(visible_text.split())
        self.links = [_link(node) for node in tree.css("a")]
        self.forms = [_read_form(node) for node in tree.css("form")]

    def form(self, action: str) -> Form:
        """Return the form that is sent to this path."""
        matching_forms = [form for form in self.forms if form.action == action]
        assert matching_forms, (
            f"no form for {action}; there are {[form.action for form in self.forms]}"
        )
        return matching_forms[0]

    def has_form(self, action: str) -> bool:
        return any(form.action == action for form in self.forms)

    def form_named(self, element_id: str) -> Form:
        """Return the form with this id."""
        return next(form for form in self.forms if form.element_id == element_id)

    def has_form_named(self, element_id: str) -> bool:
        return any(form.element_id == element_id for form in self.forms)

    def links_of(self, css_class: str) -> list[Link]:
        return [link for link in self.links if css_class in link.classes]


def _attribute(node: LexborNode, name: str, default: str = "") -> str:
    return node.attributes.get(name, default) or ""


def _link(node: LexborNode) -> Link:
    classes = tuple(_attribute(node, "class").split())
    is_current = "aria-current" in node.attributes
    return Link(_attribute(node, "href"), classes, is_current, node.text())


def _read_form(node: LexborNode) -> Form:
    form = Form(
        _attribute(node, "action"), _attribute(node, "method", "get"), _attribute(node, "id")
    )
    for button_node in node.css("button[name]"):
        form.buttons.append((_attribute(button_node, "name"), _attribute(button_node, "value")))
    for input_node in node.css("input[name]"):
        _read_input(form, input_node)
    for select in node.css("select"):
        _read_select(form, select)
    return form


def _read_input(form: Form, node: LexborNode) -> None:
    name, kind, value = (
        _attribute(node, "name"),
        _attribute(node, "type", "text"),
        _attribute(node, "value"),
    )
    if kind not in _CHOICE_INPUT_TYPES:
        form.fields[name] = value
        return
    form.choices.setdefault(name, []).append(value)
    if "checked" not in node.attributes:
        return
    if name in form.fields and kind == "checkbox":
        checked_values = form.fields[name]
        is_list = isinstance(checked_values, list)
        form.fields[name] = [*checked_values, value] if is_list else [checked_values, value]
        return
    form.fields[name] = value


def _read_select(form: Form, node: LexborNode) -> None:
    """Read the selected option; without one a browser sends the first."""
    name, options = _attribute(node, "name"), node.css("option")
    form.choices[name] = [_attribute(option, "value") for option in options]
    selected_options = [option for option in options if "selected" in option.attributes]
    form.fields[name] = _attribute((selected_options or options)[0], "value")
