import re
from importlib.metadata import version
from pathlib import Path

import django
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
# The newest of its line that closes a hole (reliability S-2). It is raised with every such release.
LEAST_DJANGO = (5, 2, 19)


class TestRequirements:
    def test_have_a_django_without_known_holes(self):
        assert django.VERSION[:3] >= LEAST_DJANGO

    @pytest.mark.parametrize("name", ["requirements.txt", "requirements-test.txt"])
    def test_are_pinned_and_what_is_installed(self, name):
        lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
        pins = [
            re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?==([\w.]+)", one)
            for one in lines
            if one[:2] not in {"", "-r"}
        ]
        assert len(pins) > 5
        assert all(pins)
        assert [(pin[1], version(pin[1])) for pin in pins] == [(pin[1], pin[2]) for pin in pins]
