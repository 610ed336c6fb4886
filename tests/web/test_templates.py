"""Templates and the macros that they share are loaded once for all readers, so neither may have anything of the first one."""

from collections.abc import Iterator
from typing import Final

import pytest
from jinja2 import DictLoader, Environment, FileSystemLoader, nodes

from webapp.kernel.resources import templates_folder
from webapp.templating import WithoutBlankText, prepare_environment
from webapp.web.filters import FILTERS

_PARTS_OF_MACRO_FILES: Final = (nodes.Macro, nodes.FromImport, nodes.Import)


def _environment() -> Environment:
    environment = Environment(loader=FileSystemLoader(templates_folder()), autoescape=True)
    prepare_environment(environment)
    environment.filters.update(FILTERS)
    return environment


def _page_templates(environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield the name and the source of each template of a page."""
    assert environment.loader is not None
    for name in environment.list_templates(extensions=["html"]):
        if not name.startswith("email/"):
            yield name, environment.loader.get_source(environment, name)[0]


def test_no_filter_is_called_while_a_template_is_compiled() -> None:
    environment, called = _environment(), []
    for name in environment.filters.keys() - Environment().filters.keys():
        environment.filters[name] = lambda *_, name=name: called.append(name)
    environment.from_string('{{ "map"|card_name }}')
    assert called == ["card_name"]
    for name, source in _page_templates(environment):
        environment.compile(source, name)
    assert called == ["card_name"]


def test_files_of_macros_that_are_loaded_once_have_nothing_beside_macros() -> None:
    environment = _environment()
    trees = {name: environment.parse(source) for name, source in _page_templates(environment)}
    imports = [each for tree in trees.values() for each in tree.find_all(nodes.FromImport)]
    shared_files = {each.template.as_const() for each in imports if not each.with_context}
    assert len(shared_files) > 10
    for name in shared_files:
        for part in trees[name].body:
            assert isinstance(part, _PARTS_OF_MACRO_FILES) or _is_blank(part), (name, part)


@pytest.mark.parametrize(
    "source, shown_text",
    [
        ("A\n  {% if b %}\n    B\n  {% endif %}\n  C", "A\nB\nC"),
        ("A\n  {% if not b %}\n    B\n  {% endif %}\n  C", "A\nC"),
        (
            "{% for each in (1, 2) %}\n  <b>{{ each }}</b>\n{% endfor %}\nC",
            "\n<b>1</b>\n<b>2</b>\nC",
        ),
        # Tags that print something, and those at which Jinja strips the end of a line.
        ("{% if b -%}\n  {% include 'b' %}\n  C\n{%- endif %}\nD", "B\nC\nD"),
        ("A\n{% if b -%}\nB\n{%- endif %}\nC", "A\nB\nC"),
        ("A\n{% if b %}\n{{- 'B' }}{% endif %}\nC", "A\nB\nC"),
        ("{% macro m() %}\nB\n{% endmacro %}\nA{{ m() }}C", "\nA\nB\nC"),
        ('<p>\n  <input class="a"\n         id="b">\n</p>', '<p>\n<input class="a" id="b"></p>'),
    ],
)
def test_words_stay_apart_where_blank_text_of_a_template_is_left_out(
    source: str, shown_text: str
) -> None:
    environment = Environment(
        loader=DictLoader({"b": "B"}), extensions=[WithoutBlankText], autoescape=True
    )
    assert environment.from_string(source).render(b=True) == shown_text


def _is_blank(part: nodes.Node) -> bool:
    return isinstance(part, nodes.Output) and all(
        isinstance(each, nodes.TemplateData) and not each.data.strip() for each in part.nodes
    )
