"""Names in the documentation exist in the code."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
SOURCES = sorted((ROOT / "messages_app").rglob("*.py"))
_OF_A_FIELD = r"(?:bad_field|FieldError|InvalidParameter|InvalidInput|InvalidTrigger)\([^,()]+,"
_CODE = re.compile(rf'(?:Problem\(\s*\d{{3}},|{_OF_A_FIELD}|InvalidValue\()\s*"([a-z_]+)"')
# A name in backticks that continues the one before: `HUBCONSOLE_STORE_INTERVAL`, `_QUEUE`.
_SETTING = re.compile(r"`((?:[A-Z]+)?_?[A-Z_]+)`")


def _anchors(page: Path) -> set[str]:
    """Return what links name the headings of a page by."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


class TestLinks:
    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_lead_to_files_that_exist(self, page):
        targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
        assert [target for target in targets if not (page.parent / target).exists()] == []

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_lead_to_headings_that_exist(self, page):
        targets = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text())
        assert [
            name for file, name in targets if name not in _anchors(page.parent / file if file else page)
        ] == []


class TestErrorCodes:
    def test_are_all_published(self):
        published = set(re.findall(r"`([a-z_]+)`", (ROOT / "docs/reference/errors.md").read_text()))
        used = {code for file in SOURCES for code in _CODE.findall(file.read_text())}
        assert len(used) > 20
        assert used - published == set()


class TestSettings:
    def test_are_all_listed(self):
        text = " ".join(file.read_text() for file in (ROOT / "hubconsole/settings").glob("*.py"))
        read = set(re.findall(r'"((?:HUBCONSOLE|HUB|DJANGO|SPARK|DATABASE|CELERY)_[A-Z_]+)"', text))
        listed: set[str] = set()
        for line in (ROOT / "docs/reference/settings.md").read_text().split("\n\n"):
            stem = ""
            for name in _SETTING.findall(line):
                stem = stem if name.startswith("_") else name
                listed |= {name, *(stem[: at.start()] + name for at in re.finditer("_", stem))}
        ours = {name for name in read if not name.startswith("CELERY_") or name == "CELERY_BROKER_URL"}
        assert ours - listed - {"HUBCONSOLE_PROCESS"} == set()

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_that_pages_name_are_read(self, page):
        told = set(re.findall(r"\b(?:HUBCONSOLE|HUB|DJANGO)_[A-Z]+(?:_[A-Z]+)*\b", page.read_text()))
        assert sorted(told - names_in_code()) == []


@cache
def names_in_code() -> set[str]:
    """Return the names of settings that are strings in the code."""
    packages = ("hubconsole", "messages_app", "spark_tasks", "benchmarks")
    files = [file.read_text() for package in packages for file in (ROOT / package).rglob("*.py")]
    return set(re.findall(r'"((?:HUBCONSOLE|HUB|DJANGO)_[A-Z]+(?:_[A-Z]+)*)"', " ".join(files)))


class TestRetention:
    def test_names_tests_that_exist(self):
        text = (ROOT / "docs/reference/retention.md").read_text()
        named = re.findall(r"`(tests/[a-z_/]+\.py)`", text)
        assert len(named) > 10
        assert [path for path in named if not (ROOT / path).exists()] == []


class TestPromises:
    def test_name_tests_that_exist(self):
        text = (ROOT / "docs/contributing/spec/promises.md").read_text()
        named = re.findall(r"`(tests/[\w/]+\.py)((?:::\w+)*)`", text)
        assert len(named) > 60
        assert [path + names for path, names in named if not _has_test(path, names)] == []

    @pytest.mark.parametrize("names", ["::TestNothing", "::TestPromises::test_nothing", "::nothing"])
    def test_that_name_missing_tests_are_found(self, names):
        assert not _has_test("tests/docs/test_docs.py", names)


def _has_test(path: str, names: str) -> bool:
    """Return whether a file has the class or function of a test's id."""
    if not (ROOT / path).is_file():
        return False
    text = (ROOT / path).read_text()
    return all(re.search(rf"^ *(?:class|def) {name}\b", text, re.MULTILINE) for name in names.split("::")[1:])
