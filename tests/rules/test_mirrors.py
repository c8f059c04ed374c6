"""Tests mirror the source: the file of a test has the name and the folder of the module that it tests."""

from pathlib import Path

import pytest

from tests.support.locks import ROOT

PRODUCT = ("hubconsole", "messages_app", "spark_tasks")
# Tests of a whole package.
SUITES = {"hard_cases", "plans", "spellings"}


def is_mirror(test: Path, *, root: Path) -> bool:
    """
    Whether a test is named after a module or package next to it, in full or with a topic behind the name.

    Args:
        test: the path below tests/, which is below `root`.
    """
    folder = test.parent
    name = test.stem.removeprefix("test_")
    # A folder may have the tests of one module.
    if name in SUITES or (root / folder).with_suffix(".py").exists():
        return True
    words = name.split("_")
    names = ["_".join(words[:count]) for count in range(1, len(words) + 1)]
    # Some helpers of tests have tests too.
    folders = (root / folder, root / "tests" / folder)
    modules = [place / f"{each}.py" for place in folders for each in (*names, f"__{name}__")]
    packages = [root / folder / each for each in names]
    return any(each.exists() for each in modules) or any(each.is_dir() for each in packages)


@pytest.fixture
def product(tmp_path) -> Path:
    for path in ("cp_queue/services/reset.py", "jobs/labels.py", "jobs/engine/__init__.py", "up/__main__.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    return tmp_path


@pytest.mark.parametrize(
    "test",
    [
        "cp_queue/services/test_reset.py",
        "cp_queue/services/test_reset_all.py",
        "cp_queue/test_plans.py",
        "jobs/labels/test_words.py",
        "jobs/test_engine.py",
        "up/test_main.py",
    ],
)
def test_tests_of_a_module_are_found(product, test):
    assert is_mirror(Path(test), root=product)


@pytest.mark.parametrize(
    "test", ["cp_queue/services/test_resetting.py", "cp_queue/test_reset.py", "jobs/test_words.py"]
)
def test_other_names_are_found(product, test):
    assert not is_mirror(Path(test), root=product)


def test_every_test_of_the_product_is_named_after_its_module():
    tests = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")]
    of_product = [test for test in tests if test.parts[0] in PRODUCT]

    assert [str(test) for test in of_product if not is_mirror(test, root=ROOT)] == []
