import shutil
from pathlib import Path

import pytest
from django.conf import settings as django_settings


@pytest.fixture(autouse=True)
def erased_list(settings, tmp_path) -> Path:
    """Use a separate journal of erased rows for each test."""
    settings.ERASED_LIST = tmp_path / "erased.jsonl"
    return settings.ERASED_LIST


@pytest.fixture(autouse=True)
def no_files():
    """Remove the files of exports, of the archive and of the store after each test."""
    yield
    for folder in ("exports", "archive", "store-files"):
        shutil.rmtree(Path(django_settings.HUBCONSOLE_HOME) / folder, ignore_errors=True)
