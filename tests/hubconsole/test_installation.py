"""Where the data of a clone and of a package is. `tests/test_wheel.py` has a real package."""

from pathlib import Path

import pytest

from hubconsole import installation
from tests.support.files import ROOT


class TestClone:
    def test_has_its_files_and_data_in_its_folder(self):
        assert installation.IS_CLONE
        assert installation.RESOURCES == ROOT
        assert installation.find_default_home() == ROOT / "var"
        assert (installation.COMMAND_LINE, installation.START_COMMAND) == ("python manage.py", "make up")


class TestPackage:
    @pytest.fixture(autouse=True)
    def _is_package(self, monkeypatch):
        monkeypatch.setattr(installation, "IS_CLONE", False)
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        monkeypatch.setenv("HOME", "/home/ada")

    def test_has_its_data_in_the_data_folder_of_the_user(self, monkeypatch):
        assert installation.find_default_home() == Path("/home/ada/.local/share/hubconsole")
        monkeypatch.setenv("XDG_DATA_HOME", "/srv/data")
        assert installation.find_default_home() == Path("/srv/data/hubconsole")

    def test_ignores_a_relative_data_folder(self, monkeypatch):
        monkeypatch.setenv("XDG_DATA_HOME", "data")
        assert installation.find_default_home() == Path("/home/ada/.local/share/hubconsole")
