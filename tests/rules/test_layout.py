"""The check of the layout finds what it is for, in a small product planted for it."""

from pathlib import Path

import pytest

from tests.support.layout import MAX_LINES, MIN_MEDIAN_LINES, layout_of, problems

IMPORT = "import os\n"


@pytest.fixture
def product(tmp_path) -> Path:
    """Return the root of a product without problems."""
    write(tmp_path / "manage.py", lines=MIN_MEDIAN_LINES)
    for folder in ("hubconsole", "messages_app", "spark_tasks"):
        write(tmp_path / folder / "__init__.py")
        for name in ("models", "views"):
            write(tmp_path / folder / f"{name}.py", IMPORT, lines=MIN_MEDIAN_LINES)
    return tmp_path


def write(path: Path, text: str = "", *, lines: int = 0) -> None:
    """Write a file with a text and comments below it, of so many lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "# A line.\n" * (lines - text.count("\n")))


def test_a_product_within_the_limits_has_no_problems(product):
    assert problems(layout_of(product)) == []


def test_migrations_are_not_counted(product):
    write(product / "messages_app" / "migrations" / "0001_tables.py", lines=MAX_LINES + 1)

    assert problems(layout_of(product)) == []


def test_a_small_median_is_a_problem(product):
    for number in range(20):
        write(product / "messages_app" / f"module_{number}.py", lines=7)

    assert problems(layout_of(product)) == [
        f"the median file has 7 lines; at least {MIN_MEDIAN_LINES} are required"
    ]


def test_a_long_file_is_a_problem(product):
    long_file = Path("spark_tasks", "long_module.py")
    write(product / long_file, lines=MAX_LINES + 1)

    assert problems(layout_of(product)) == [
        f"{long_file} has {MAX_LINES + 1} lines; at most {MAX_LINES} are allowed"
    ]


def test_a_package_for_one_small_module_is_a_problem(product):
    write(product / "messages_app" / "search" / "__init__.py")
    write(product / "messages_app" / "search" / "lookup.py", IMPORT, lines=MIN_MEDIAN_LINES - 1)

    assert problems(layout_of(product)) == ["messages_app/search is a package for one small module"]


def test_an_empty_init_is_a_problem_if_no_module_imports_anything(product):
    init = Path("hubconsole", "formats", "__init__.py")
    write(product / init)
    for name in ("en", "de"):
        write(product / "hubconsole" / "formats" / f"{name}.py", lines=MIN_MEDIAN_LINES)

    assert problems(layout_of(product)) == [f"{init} is empty and not needed"]


TITLED = '''"""A module."""

import os

# A note about the line below.
LEFT = os.curdir

# The other half.

RIGHT = os.pardir


# A title of two
# lines.


def join_halves() -> str:
    # A reason.

    return LEFT + RIGHT
'''


def test_a_title_comment_in_the_middle_of_a_module_is_a_seam(product):
    (product / "spark_tasks" / "views.py").write_text(TITLED)

    assert layout_of(product).seams == ["spark_tasks/views.py:8", "spark_tasks/views.py:13"]
