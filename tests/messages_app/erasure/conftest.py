import shutil
from pathlib import Path

import pytest
from django.conf import settings as django_settings


@pytest.fixture(autouse=True)
def erased_list(settings, tmp_path) -> Path:
    """Give the list of what was erased, one for each test."""
    settings.ERASED_LIST = tmp_path / "erased.jsonl"
    return settings.ERASED_LIST


@pytest.fixture(autouse=True)
def no_files():
    """Leave no file of an export, the archive or the store behind."""
    yield
    for folder in ("exports", "archive", "store-files"):
        shutil.rmtree(Path(django_settings.HUBCONSOLE_HOME) / folder, ignore_errors=True)
