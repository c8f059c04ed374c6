"""The declared list of settings names every setting that is read, and says what it is."""

import re
from pathlib import Path

import pytest

from hubconsole.administration.declared import SECTIONS
from hubconsole.readings import READINGS

ROOT = Path(__file__).resolve().parent.parent.parent.parent
_READ = re.compile(r'"((?:HUBCONSOLE|HUB|DJANGO|SPARK|DATABASE|CELERY)_[A-Z0-9_]+)"')
SETTINGS = [each for section in SECTIONS for each in section.settings]


class TestSections:
    def test_have_every_setting_that_the_code_reads_once(self):
        files = [*(ROOT / "hubconsole/settings").glob("*.py"), ROOT / "hubconsole/environment.py"]
        read = set(_READ.findall(" ".join(file.read_text() for file in files)))
        names = [each.name for each in SETTINGS]
        ours = {name for name in read if not name.startswith("CELERY_") or name == "CELERY_BROKER_URL"}
        assert ours - set(names) == {"HUBCONSOLE_PROCESS"}
        assert len(names) == len(set(names))

    def test_have_the_settings_whose_reading_is_noted(self):
        assert {name for name in READINGS if name.startswith(("HUB", "DJANGO"))} <= {
            each.name for each in SETTINGS
        }

    @pytest.mark.parametrize("each", SETTINGS, ids=lambda each: each.name)
    def test_say_what_each_setting_is_and_its_values(self, each):
        assert each.meaning
        assert each.values or READINGS[each.name].values

    @pytest.mark.django_db
    def test_have_values_that_can_be_read(self):
        for each in SETTINGS:
            each.read()
