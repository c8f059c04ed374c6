"""The only place that makes a Spark session: a thin client of a Spark Connect server (DESIGN "Spark")."""

import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

_ROOT = Path(__file__).resolve().parent.parent

# What an executor needs of this repository; it has none of its own, on a cluster.
_SHIPPED = (
    "spark_tasks/**/*.py",
    "spark_tasks/**/*.sql",
    "messages_app/__init__.py",
    "messages_app/messages/__init__.py",
    "messages_app/messages/states.py",
    "messages_app/jobs/__init__.py",
    "messages_app/jobs/states.py",
)


@contextmanager
def spark_session(remote: str) -> Iterator[SparkSession]:
    """
    Open a session of its own at `remote` (sc://host:port), with this code shipped to its executors.

    Waits while the server starts, as Spark's client does. Ends the session, with what still runs in it.
    """
    # Spark's functions look here for whether columns are a Connect client's.
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    session = ConnectSession.builder.remote(remote).create()
    try:
        with tempfile.TemporaryDirectory() as folder:
            session.addArtifacts(str(_write_code(Path(folder))), pyfile=True)
            yield session
    finally:
        session.stop()


def _write_code(folder: Path) -> Path:
    path = folder / "hubconsole_code.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for pattern in _SHIPPED:
            for file in sorted(_ROOT.glob(pattern)):
                archive.write(file, file.relative_to(_ROOT))
    return path
