from pathlib import Path

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from messages_app.access.breached_passwords import NotBreached

BREACHED, OTHER = "correct horse battery staple", "correct horse battery nail"
# Of SHA-1 of the first one, ABF7AAD6438836DBE526AA231ABDE2D0EEF74D42, and of another one of the same file.
LINES = "0018A45C4D1DEF81644B54AB7F969B88D65:3\nAD6438836DBE526AA231ABDE2D0EEF74D42:216\n"


@pytest.fixture
def folder(settings, tmp_path: Path) -> Path:
    (tmp_path / "ABF7A.txt").write_text(LINES)
    settings.BREACHED_PASSWORDS = tmp_path
    return tmp_path


def refusals(password: str) -> list[str]:
    try:
        validate_password(password)
    except ValidationError as error:
        return error.messages
    return []


class TestNotBreached:
    def test_rejects_a_password_of_the_list(self, folder):
        assert refusals(BREACHED) == ["This password was in a data breach. Choose another one."]
        assert refusals(OTHER) == []

    @pytest.mark.parametrize("lines", ["", "0018A45C4D1DEF81644B54AB7F969B88D65:3\n"])
    def test_accepts_one_whose_file_does_not_name_it(self, folder, lines):
        (folder / "ABF7A.txt").write_text(lines)
        assert refusals(BREACHED) == []

    def test_reads_files_with_the_ends_of_lines_of_windows(self, folder):
        (folder / "ABF7A.txt").write_bytes(LINES.replace("\n", "\r\n").encode())
        assert len(refusals(BREACHED)) == 1

    def test_rejects_none_without_a_list(self, settings):
        settings.BREACHED_PASSWORDS = None
        assert refusals(BREACHED) == []
        assert NotBreached().get_help_text() == ""
