"""The declared list of settings is that of the reference, and names every setting that is read."""

import re
from pathlib import Path

import pytest

from hubconsole.administration.declared import SECTIONS

ROOT = Path(__file__).resolve().parent.parent.parent.parent
_NAME = re.compile(r"`(_?[A-Z][A-Z0-9_]+)`")
_READ = re.compile(r'"((?:HUBCONSOLE|HUB|DJANGO|SPARK|DATABASE|CELERY)_[A-Z0-9_]+)"')


def sections_of_reference() -> dict[str, set[str]]:
    """Return the names in the reference, by heading. `_PORT` shares the beginning of its row."""
    sections: dict[str, set[str]] = {}
    for part in (ROOT / "docs/reference/settings.md").read_text().split("\n## ")[1:]:
        names: set[str] = set()
        for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE):
            first, *others = _NAME.findall(row)
            stem = first.rsplit("_", other_length(others))[0] if others else first
            names |= {first, *(other if not other.startswith("_") else stem + other for other in others)}
        sections[part.partition("\n")[0]] = names
    return sections


def other_length(others: list[str]) -> int:
    """Return how many words of the first name the shortened ones replace."""
    return max(other.count("_") for other in others) if others[0].startswith("_") else 0


class TestSections:
    def test_have_the_headings_and_names_of_the_reference(self):
        declared = {title: {each.name for each in settings} for title, settings in SECTIONS.items()}
        assert declared == sections_of_reference()

    def test_have_every_setting_that_the_code_reads(self):
        files = [*(ROOT / "hubconsole/settings").glob("*.py"), ROOT / "hubconsole/environment.py"]
        read = set(_READ.findall(" ".join(file.read_text() for file in files)))
        names = {each.name for settings in SECTIONS.values() for each in settings}
        ours = {name for name in read if not name.startswith("CELERY_") or name == "CELERY_BROKER_URL"}
        assert ours - names == {"HUBCONSOLE_PROCESS"}

    @pytest.mark.django_db
    def test_have_values_that_can_be_read(self):
        for settings in SECTIONS.values():
            for each in settings:
                each.read()
