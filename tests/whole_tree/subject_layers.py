"""An import contract of our own: the layers of all subjects form one order, in which an import leads down."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

_PROBLEMS: Final = "problems"


class SubjectLayersContract(Contract):
    """Each module belongs to one of the packages in ``layers``, and imports none that a higher line names.

    A line names packages, ``a | b``; a star stands for one component, so ``webapp.*.pages`` is a package in each subject. A module
    belongs to the longest name that it begins with. Packages of one line may import each other, but not in a circle.
    """

    type_name = "subject_layers"

    root = fields.StringField()
    layers = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001 - the base class has it
        root = str(self.root)
        modules = sorted(name for name in graph.modules if name.startswith(f"{root}."))
        packages = _package_of_modules(modules, _lines_of(self.layers))  # type: ignore[arg-type]
        problems = [f"{name} has no layer" for name in modules if name not in packages]
        problems += _problems_of_imports(graph, packages)
        return ContractCheck(kept=not problems, metadata={_PROBLEMS: problems})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for problem in check.metadata[_PROBLEMS]:
            output.print_error(problem)


_Package = tuple[int, str]
"""The number of its line, counted from the highest, and its name."""


def _lines_of(layers: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return each pattern as the number of its line and its components."""
    return [
        (number, name.strip().split("."))
        for number, line in enumerate(layers)
        for name in line.split("|")
    ]


def _package_of_modules(
    modules: Sequence[str], patterns: Sequence[tuple[int, list[str]]]
) -> dict[str, _Package]:
    packages: dict[str, _Package] = {}
    for name in modules:
        components = name.split(".")
        matching = [
            (len(pattern), -pattern.count("*"), number)
            for number, pattern in patterns
            if _begins_with(components, pattern)
        ]
        if matching:
            length, _, number = max(matching)
            packages[name] = (number, ".".join(components[:length]))
    return packages


def _begins_with(components: Sequence[str], pattern: Sequence[str]) -> bool:
    pairs = zip(components, pattern, strict=False)
    return len(components) >= len(pattern) and all(
        expected in ("*", component) for component, expected in pairs
    )


def _problems_of_imports(graph: ImportGraph, packages: Mapping[str, _Package]) -> Iterator[str]:
    imported_by_package: defaultdict[_Package, set[_Package]] = defaultdict(set)
    for importer, (line, package) in packages.items():
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            imported_line, imported_package = packages.get(imported, (line, package))
            if imported_line < line:
                yield f"{importer} imports {imported}, which is in a higher layer"
            elif imported_package != package:
                imported_by_package[line, package].add((imported_line, imported_package))
    try:
        TopologicalSorter(imported_by_package).prepare()
    except CycleError as error:
        names = [name for _, name in reversed(error.args[1])]
        yield f"packages import each other in a circle: {' -> '.join(names)}"
