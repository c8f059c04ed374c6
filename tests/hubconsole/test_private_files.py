import os
import subprocess
from pathlib import Path

import pytest

from hubconsole.private_files import close_home, make_home
from tests.hubconsole.console import NOBODY, Console
from tests.hubconsole.open_files import open_to_others
from tests.support.servers import Servers

# Root's PostgreSQL runs as another user, who passes through these two; no one can list or read them.
_PASSABLE = {".": "0o711", "postgres": "0o711"} if os.geteuid() == 0 else {}


class TestMakeHome:
    def test_gives_other_users_no_access(self, tmp_path: Path):
        make_home(tmp_path / "new" / "home")

        mode = (tmp_path / "new" / "home").stat().st_mode & 0o777
        assert mode == (0o711 if os.geteuid() == 0 else 0o700)
        assert (tmp_path / "new").stat().st_mode & 0o077 == 0

    def test_needs_no_access_if_the_database_is_elsewhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setenv("DATABASE_URL", "postgresql://db.example.org/hub")
        make_home(tmp_path / "home")
        assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700

    def test_does_not_change_an_existing_one(self, tmp_path: Path):
        tmp_path.chmod(0o750)
        make_home(tmp_path)
        assert tmp_path.stat().st_mode & 0o777 == 0o750


class TestCloseHome:
    def test_closes_what_an_older_version_left_open(self, tmp_path: Path):
        for name in ("exports", "archive", "log", "postgres"):
            (tmp_path / name).mkdir()
            (tmp_path / name).chmod(0o755)
        (tmp_path / "erased.jsonl").touch()
        (tmp_path / "erased.jsonl").chmod(0o644)
        outside = tmp_path.parent / f"{tmp_path.name}-outside"
        outside.mkdir()
        outside.chmod(0o755)
        (tmp_path / "link").symlink_to(outside)
        tmp_path.chmod(0o755)

        close_home(tmp_path)

        assert open_to_others(tmp_path) == {".": "0o711", "postgres": "0o711"}
        assert outside.stat().st_mode & 0o777 == 0o755

    def test_leaves_a_closed_one_closed(self, tmp_path: Path):
        (tmp_path / "postgres").mkdir(mode=0o700)
        close_home(tmp_path)
        assert open_to_others(tmp_path) == {}

    def test_leaves_the_group_what_the_umask_does(self, tmp_path: Path):
        (tmp_path / "archive").mkdir()
        (tmp_path / "archive").chmod(0o777)
        before = os.umask(0o027)
        try:
            close_home(tmp_path)
        finally:
            os.umask(before)
        assert (tmp_path / "archive").stat().st_mode & 0o777 == 0o750


@pytest.mark.slow
class TestHomeInUse:
    def test_is_closed_to_other_users_after_jobs(self, servers: Servers):
        console = Console(servers.home)
        try:
            console.start("--messages", "300")
            for words in (
                ("export", "--payload", "--wait", "--reason", "modes", "state=OK"),
                ("archive", "--older-than-months", "1", "--to", "parquet", "--wait", "--reason", "modes"),
            ):
                done = console.run(*words)
                assert done.returncode == 0, done.stdout + done.stderr
            found = open_to_others(console.home)
            exported = [*console.home.glob("exports/*/*")]
            archived = [*console.home.glob("archive/**/*.parquet")]
            read = [_read_by_nobody(path) for path in (*exported, *archived, console.home / "secret_key")]
        finally:
            console.remove()

        # Spark makes executable what a session sends it; the directories above it are closed.
        sent = {path: found.pop(path) for path in [*found] if path.endswith("/hubconsole_code.zip")}
        assert set(sent.values()) <= {"0o711"}
        assert found == _PASSABLE
        assert exported
        assert archived
        assert set(read) == {1}


def _read_by_nobody(path: Path) -> int:
    if os.geteuid() != 0:
        return 1  # there is no other user to try it as
    command = ["head", "-c", "1", str(path)]
    return subprocess.run(
        command, check=False, capture_output=True, user=NOBODY.pw_uid, group=NOBODY.pw_gid, extra_groups=[]
    ).returncode
