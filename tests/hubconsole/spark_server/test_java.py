import os
import shlex
import subprocess
from pathlib import Path

import pytest

from hubconsole.spark_server import java
from hubconsole.spark_server.java import find_java_home


@pytest.fixture
def path_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of everything that is on ours but java, and no JAVA_HOME."""
    binaries = tmp_path / "bin"
    binaries.mkdir()
    for directory in reversed(os.environ["PATH"].split(os.pathsep)):
        for found in Path(directory).glob("*"):
            if not found.name.startswith("java"):
                (binaries / found.name).unlink(missing_ok=True)
                (binaries / found.name).symlink_to(found)
    monkeypatch.setenv("PATH", str(binaries))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return binaries


def _old_java(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho 'java.specification.version = 1.8' >&2\n")
    path.chmod(0o755)


class TestJavaHome:
    @pytest.mark.usefixtures("path_without_java")
    def test_falls_back_to_the_packaged_runtime(self, tmp_path: Path):
        home = find_java_home(tmp_path)

        assert home == tmp_path / "spark" / "java"
        command = [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-version"]
        assert "25" in subprocess.run(command, capture_output=True, text=True, check=True).stderr

    def test_passes_over_a_java_that_is_too_old(self, tmp_path: Path, path_without_java: Path):
        _old_java(path_without_java / "java")

        assert find_java_home(tmp_path) == tmp_path / "spark" / "java"


class TestWrapper:
    @pytest.mark.parametrize(
        ("given", "left"),
        [
            ("--add-modules=jdk.incubator.vector -cp 'a b' Main", "-cp 'a b' Main"),
            ("-Xmx1g --add-modules jdk.incubator.vector Main", "-Xmx1g Main"),
            ("--add-modules java.sql Main ''", "--add-modules java.sql Main ''"),
            ("Main --add-modules", "Main --add-modules"),
            ("", ""),
        ],
    )
    def test_omits_that_flag(self, tmp_path: Path, given: str, left: str):
        printer = tmp_path / "print words"
        printer.write_text('#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done\n')
        printer.chmod(0o755)
        wrapper = java._wrap_java(tmp_path, str(printer)) / "bin" / "java"

        done = subprocess.run([wrapper, *shlex.split(given)], capture_output=True, text=True, check=True)

        assert done.stdout.splitlines() == shlex.split(left)
