"""No room has a circle of imports, lazy ones and those for type checking counted."""

from __future__ import annotations

import grimp
import pytest

ROOMS = ("companion", "vision", "calibration", "models", "mobile")


def circles(graph: grimp.ImportGraph) -> list[list[str]]:
    """Groups of modules that can reach each other (Tarjan's strongly connected components)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        order[module] = low[module] = len(order)
        stack.append(module)
        for other in sorted(graph.find_modules_directly_imported_by(module)):
            if other not in order:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], order[other])
        if low[module] == order[module]:
            at = stack.index(module)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for module in sorted(graph.modules):
        if module not in order:
            visit(module)
    return found


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*ROOMS, exclude_type_checking_imports=False)


def test_there_are_no_circles(graph):
    assert circles(graph) == []


def test_a_circle_is_found(graph):
    made = grimp.ImportGraph()
    for name in ("a", "b", "c", "d"):
        made.add_module(name)
    for importer, imported in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")):
        made.add_import(importer=importer, imported=imported)
    assert circles(made) == [["a", "b", "c"]]
