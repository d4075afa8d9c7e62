# SPDX-License-Identifier: Apache-2.0
"""The package's structure: which folder may import from which, no cycles, sizes, and modules that exported plans contain."""

import ast
import re
from collections import Counter
from pathlib import Path

import plimsoll
import pytest
from helpers import ROOT

PACKAGE = Path(plimsoll.__file__).parent
TOP = ""  # the folder of the package itself
# Each folder with those that its files may import from besides their own; only folders further up stand there.
LAYERS = {
    "common": set(),
    "kernels": {"common"},
    "isolation": {"common"},
    "training_step": {"common", "kernels", "isolation"},
    "shapes": {"common", "training_step"},
    "record": {"common", "kernels", "isolation", "training_step", "shapes"},
    "runtime": {"common"},
    "runtime/checkpoint": {"common", "kernels", "isolation", "training_step", "runtime"},
    "runtime/compiled_step": {"common", "kernels", "isolation", "training_step", "record", "runtime"},
    "measure": {"common", "isolation", "training_step", "record", "runtime", "runtime/checkpoint", "runtime/compiled_step"},
    "planning": {"training_step", "record", "runtime", "runtime/checkpoint"},
    TOP: {"common", "isolation", "training_step", "record", "runtime/checkpoint", "runtime/compiled_step", "measure", "planning"},
}
FREE = "version"  # may be imported from everywhere
LONGEST_FILE, LONGEST_FUNCTION, LARGEST_FOLDER = 500, 60, 30


def name_of(file):
    return file.relative_to(PACKAGE).with_suffix("").as_posix()


MODULES = {name_of(file): ast.parse(file.read_text()) for file in sorted(PACKAGE.rglob("*.py"))}


def folder_of(module):
    return module.rpartition("/")[0]


def imports_of(module):
    """Modules of the package that a module imports, also inside of functions."""
    parts = module.split("/")[:-1]
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name.replace(".", "/").partition("/")[2] for alias in node.names if alias.name.startswith("plimsoll."))
        if not isinstance(node, ast.ImportFrom):
            continue
        named = node.module.split(".") if node.module else []
        if node.level:
            base = parts[: len(parts) - node.level + 1] + named
        elif named[0] == "plimsoll":
            base = named[1:]
        else:
            continue
        for alias in node.names:
            inner = "/".join([*base, alias.name])
            yield inner if inner in MODULES else "/".join(base)


IMPORTS = {module: set(imports_of(module)) for module in MODULES}


def test_the_table_names_every_folder_and_goes_one_way():
    assert {folder_of(module) for module in MODULES} == set(LAYERS)
    folders = list(LAYERS)
    for place, folder in enumerate(folders):
        assert LAYERS[folder] <= set(folders[:place])


@pytest.mark.parametrize("folder", LAYERS)
def test_folders_import_only_what_the_table_allows(folder):
    allowed = {folder, *LAYERS[folder]}
    found = {(module, target) for module in MODULES if folder_of(module) == folder for target in IMPORTS[module]}
    assert {pair for pair in found if folder_of(pair[1]) not in allowed and pair[1] != FREE} == set()
    assert LAYERS[folder] <= {folder_of(target) for _, target in found}  # nothing is allowed that isn't used


def test_every_import_names_a_module():
    assert {target for targets in IMPORTS.values() for target in targets} <= {*MODULES, *map(folder_of, MODULES)}


def test_no_modules_import_each_other_in_a_circle():
    state = {}

    def visit(module, path):
        assert state.get(module) != "open", " -> ".join([*path, module])
        if module in state or module not in MODULES:
            return
        state[module] = "open"
        for target in sorted(IMPORTS[module]):
            visit(target, [*path, module])
        state[module] = "done"

    for module in MODULES:
        visit(module, [])
    assert set(state) == set(MODULES)


def test_files_functions_and_folders_are_small():
    lines = {file: len(file.read_text().splitlines()) for file in PACKAGE.rglob("*.py")}
    assert {file.name: count for file, count in lines.items() if count > LONGEST_FILE} == {}
    functions = [
        (module, node.name, node.end_lineno - node.lineno + 1)
        for module, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    assert [row for row in functions if row[2] > LONGEST_FUNCTION] == []
    assert {f: n for f, n in Counter(map(folder_of, MODULES)).items() if n > LARGEST_FOLDER} == {}


# ---- modules that exported plans contain ----

BUILD = (ROOT / "core" / "writers" / "CMakeLists.txt").read_text()
CONTAINED = re.search(r"foreach\(module IN ITEMS\s+([^)]+)\)", BUILD).group(1).split()


def definitions_of(module):
    """Names that a module defines at its top level."""
    for node in MODULES[module].body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)


def test_an_exported_plan_contains_all_that_its_modules_import():
    for place, module in enumerate(CONTAINED):
        assert IMPORTS[module] <= set(CONTAINED[:place])


def test_imports_of_contained_modules_are_lines_at_their_top():
    for module in CONTAINED:
        body = MODULES[module].body[1:]
        imports = [node for node in ast.walk(MODULES[module]) if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert imports == body[: len(imports)]
        assert all(node.lineno == node.end_lineno and all(alias.asname is None for alias in node.names) for node in imports)


def test_contained_modules_define_no_name_twice():
    names = Counter(name for module in CONTAINED for name in definitions_of(module))
    assert len(names) > 10
    assert [name for name, count in names.items() if count > 1] == []
