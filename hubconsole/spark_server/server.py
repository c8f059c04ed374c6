"""
The Spark Connect server of one machine, on loopback ports. Only clients that have its secrets can use it.

It listens on three ports. Connect requires the token of `spark_url()`. The driver and its block manager
require a secret that is created at each start and passed only to the driver's own executors.
"""

import importlib.util
import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hubconsole.spark_server.java import find_java_home
from messages_app.core.embedded_servers import LOOPBACK, SPARK, CannotStart, claim_endpoint
from spark_tasks.database import CONNECTIONS

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


@dataclass(frozen=True)
class SparkServer:
    """How the server is started, and the port on which it then listens for clients."""

    command: list[str]
    environment: Mapping[str, str]
    directory: Path
    port: int


def prepare_server(home: Path, *, master: str = "") -> SparkServer:
    """
    Return the server to run. It is ready about 12 seconds after its start.

    Args:
        master: the Spark master; if empty, all cores of this machine.

    Raises:
        CannotStart: Java or PySpark is missing.
    """
    master = master or MASTER
    folder = home / SPARK
    (folder / "scratch").mkdir(parents=True, exist_ok=True)
    at = claim_endpoint(home, SPARK)
    installation = _find_installation()
    return SparkServer(
        command=[
            str(installation / "bin" / "spark-submit"),
            *_make_arguments(folder, at.port, master, _write_secret(folder)),
        ],
        environment=_make_environment(home, installation, at.secret, master),
        directory=folder,
        port=at.port,
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
        "spark.connect.grpc.binding.address": LOOPBACK,
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
        "JAVA_HOME": str(find_java_home(home)),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(part for part in path if part),
        "SPARK_HOME": str(installation),
        "SPARK_LOCAL_DIRS": str(home / SPARK / "scratch"),
        "SPARK_CONNECT_AUTHENTICATE_TOKEN": token,  # Not an argument, because every user can see those.
    }
    if master.startswith("local"):
        environment["SPARK_LOCAL_IP"] = LOOPBACK  # The host name need not resolve.
    return environment
