"""A page read as a browser without scripts reads it: links, forms and words."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Link:
    href: str
    classes: tuple[str, ...]
    current: bool
    words: str = ""


@dataclass
class Form:
    action: str
    method: str
    ident: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    choices: dict[str, list[str]] = field(default_factory=dict)


class Page(HTMLParser):
    """The links, forms and visible words of one page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[Link] = []
        self.forms: list[Form] = []
        self.words = ""
        self.idents: list[str] = []
        self._inside: list[str] = []
        self._select = ""
        self.feed(html)
        self.words = " ".join(self.words.split())

    def form(self, action: str) -> Form:
        """The form that is sent to this path."""
        found = [form for form in self.forms if form.action == action]
        assert found, f"no form for {action}; there are {[form.action for form in self.forms]}"
        return found[0]

    def has_form(self, action: str) -> bool:
        return any(form.action == action for form in self.forms)

    def form_named(self, ident: str) -> Form:
        """The form with this id."""
        return next(form for form in self.forms if form.ident == ident)

    def has_form_named(self, ident: str) -> bool:
        return any(form.ident == ident for form in self.forms)

    def links_of(self, cls: str) -> list[Link]:
        return [link for link in self.links if cls in link.classes]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.idents.append(given["id"])
        if tag not in _VOID:
            self._inside.append(tag)
        meet = getattr(self, f"_meet_{tag}", None)
        if meet is not None:
            meet(given)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = ""
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if {"script", "style", "title", "desc"} & set(self._inside):
            return
        self.words += f" {data}"
        if "a" in self._inside and self.links:
            self.links[-1].words += data

    def _meet_a(self, given: dict[str, str]) -> None:
        classes = tuple(given.get("class", "").split())
        self.links.append(Link(given.get("href", ""), classes, "aria-current" in given))

    def _meet_form(self, given: dict[str, str]) -> None:
        method, ident = given.get("method", "get"), given.get("id", "")
        self.forms.append(Form(given.get("action", ""), method, ident))

    def _meet_button(self, given: dict[str, str]) -> None:
        if self.forms and given.get("name"):
            self.forms[-1].buttons.append((given["name"], given.get("value", "")))

    def _meet_select(self, given: dict[str, str]) -> None:
        self._select = given.get("name", "")
        self.forms[-1].choices[self._select] = []

    def _meet_input(self, given: dict[str, str]) -> None:
        name, kind = given.get("name", ""), given.get("type", "text")
        if not name:
            return
        form = self.forms[-1]
        if kind not in {"radio", "checkbox"}:
            form.fields[name] = given.get("value", "")
            return
        form.choices.setdefault(name, []).append(given.get("value", ""))
        if "checked" in given:
            form.fields[name] = given.get("value", "")

    def _meet_option(self, given: dict[str, str]) -> None:
        form = self.forms[-1]
        form.choices[self._select].append(given.get("value", ""))
        if "selected" in given or self._select not in form.fields:
            form.fields[self._select] = given.get("value", "")


_VOID = frozenset({"area", "br", "hr", "img", "input", "link", "meta", "wbr"})
