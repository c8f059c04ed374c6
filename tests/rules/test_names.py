"""The check of names finds what it is for, in a small product planted for it."""

import ast
from pathlib import Path

import pytest

from tests.rules import names


def parse(text: str) -> ast.Module:
    return ast.parse(text)


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """Return the root of a product whose names are all allowed."""
    for path in ("hubconsole/settings.py", "messages_app/core/pages.py", "spark_tasks/plans.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("import sqlparse\n\nMAX_ROWS = 1\n\ndef read_rows(rows): return rows\n")
    return tmp_path


def add(product: Path, path: str, text: str = "") -> list[str]:
    """Write a module into the product, and return the problems with its names."""
    (product / path).parent.mkdir(parents=True, exist_ok=True)
    (product / path).write_text(text)
    return names.find_problems(names.find_names(product))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def read(): pass", ["read"]),
        ("def _page(): pass", ["_page"]),
        ("async def act(): pass", ["act"]),
        ("class View:\n def of(self): pass", ["of"]),
        ("def read_rows():\n def row(): pass", ["row"]),
        ("if True:\n def words(): pass", ["words"]),
        ("class View:\n def read_rows(self):\n  def line(): pass", ["line"]),
        ("def read_rows(): pass", []),
        ("class View:\n def get(self): pass\n def _finish(self): pass", []),
        ("class View:\n def __enter__(self): pass", []),
        ("class View:\n @cached_property\n def rows(self): pass", []),
        ("def read_rows():\n def write(): pass", []),
    ],
)
def test_a_function_is_a_verb_with_its_object(text: str, found: list[str]):
    assert list(names.find_bare_words(parse(text))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("found = 1", ["found (line 1)"]),
        ("for kept in ():\n pass", ["kept (line 1)"]),
        ("def read_rows(asked, *, _given=None): pass", ["asked (line 1)", "_given (line 1)"]),
        ("a, taken = 1, 2", ["taken (line 1)"]),
        ("if (seen := 1): pass", ["seen (line 1)"]),
        ("rows = found", []),
        ("row.found = 1", []),
        ("founder = 1", []),
        ("class Queue:\n known = 1", ["known (line 2)"]),
        ("class Queue:\n known = serializers.BooleanField()\n kept = models.TextField()", []),
        ("class Report(TypedDict):\n kept: int", []),
        ("class Report:\n kept: int", ["kept (line 2)"]),
        ("class Report:\n @property\n def kept(self): pass", ["kept (line 3)"]),
    ],
)
def test_a_variable_is_a_noun(text: str, found: list[str]):
    assert list(names.find_participles(parse(text))) == found


@pytest.mark.parametrize(
    ("text", "names_found"),
    [
        ("def needs_row() -> bool: pass", ["needs_row"]),
        ("def _fits_row() -> bool: pass", ["_fits_row"]),
        ("class Row:\n def covers(self) -> bool: pass", ["Row.covers"]),
        ("class Row:\n @property\n def waits(self) -> bool: pass", ["Row.waits"]),
        ("def is_word() -> TypeGuard[str]: pass\ndef word(text) -> TypeGuard[str]: pass", ["word"]),
        ("def find_rows():\n def needs_row() -> bool: pass", ["needs_row"]),
        ("def is_row() -> bool: pass\ndef has_row() -> bool: pass\ndef may_write() -> bool: pass", []),
        ("def claim_row() -> bool: pass\ndef _mark_row() -> bool: pass", []),
        ("def parse_flag() -> bool: pass", []),
        ("class Row:\n def update(self) -> bool: pass\n def __eq__(self, other) -> bool: pass", []),
        ("class File:\n def seekable(self) -> bool: pass", []),
        ("def read_rows() -> list[bool]: pass", []),
    ],
)
def test_a_predicate_begins_with_is_has_or_may(text: str, names_found: list[str]):
    assert list(names.find_other_predicates(parse(text))) == names_found


@pytest.mark.parametrize(
    "name", ["MOST", "_MOST_ROWS", "LONGEST_WAIT", "_LEAST_SHARE", "FEWEST", "LARGEST_PART"]
)
def test_a_limit_begins_with_max_or_min(product: Path, name: str):
    assert add(product, "messages_app/core/files.py", f"{name} = 1\n") == [
        f"messages_app/core/files.py: {name}: limits begin with MAX_ or MIN_"
    ]


@pytest.mark.parametrize(
    "path",
    [
        "messages_app/core/core.py",
        "messages_app/core/list/__init__.py",
        "messages_app/messages/id.py",
        "messages_app/core/sqlparse.py",
    ],
)
def test_a_module_hides_no_package_builtin_or_library(product: Path, path: str):
    assert add(product, path) == [f"{path}: named as its package, a builtin or a library"]


def test_an_allowed_product_has_no_problems(product: Path):
    assert names.find_problems(names.find_names(product)) == []


def test_a_package_with_other_names_is_a_problem(product: Path):
    assert add(product, "messages_app/new_area/lists.py", "def read(found) -> bool: pass\n") == [
        "messages_app/new_area has 1 functions of one word:",
        "  python -m tests.rules.names messages_app/new_area",
        "messages_app/new_area has 1 variables that are participles:",
        "  python -m tests.rules.names messages_app/new_area",
        "messages_app/new_area has 1 predicates without is_, has_ or may_:",
        "  python -m tests.rules.names messages_app/new_area",
    ]
