"""The Spark Connect server as a program of `up`."""

from pathlib import Path

from hubconsole.devserver.processes import Program
from hubconsole.spark_server import server
from messages_app.core.embedded_servers import SPARK, is_listening


def prepare_spark(home: Path, *, master: str = "") -> Program:
    """
    Return the server to run, as in spark_server.

    Raises:
        CannotStart: Java or PySpark is missing.
    """
    spark = server.prepare_server(home, master=master)
    return Program(
        name=SPARK,
        command=spark.command,
        is_ready=lambda: is_listening(spark.port),
        describe=lambda: "Java and Spark are starting and do not listen yet",
        environment=spark.environment,
        directory=spark.directory,
        is_base=True,
    )
