"""
Other users of a machine cannot see the password of the database while a job runs
(docs/contributing/spec/promises.md, S-10).
"""

import os
import subprocess

import psutil
import pytest
from django.db import connection
from pyspark.sql import SparkSession

from hubconsole.devserver import programs
from hubconsole.devserver.processes import log_tail
from messages_app.core.embedded_servers import find_free_port
from messages_app.jobs.models import Job
from tests.support import jobs
from tests.support.eventually import eventually
from tests.support.servers import Servers
from tests.support.workers import database_of_tests, kill

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def web():
    program = programs.web_program(bind="127.0.0.1", port=find_free_port())
    environment = os.environ | database_of_tests() | {"HUBCONSOLE_PROCESS": "web"}
    process = subprocess.Popen(program.command, env=environment, start_new_session=True)
    eventually(program.is_ready, 300)
    yield
    kill(process)


def command_lines() -> set[str]:
    """Return the output of `ps`, which all users can see."""
    return {" ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"])}


class TestPassword:
    @pytest.mark.slow
    def test_is_not_on_a_command_line_or_in_spark(self, servers: Servers, spark_remote, web, start_worker):
        password = connection.settings_dict["PASSWORD"]
        start_worker()
        jobs.make_failed(3)
        job, lines = jobs.new_job("restart", {"state": "FAILED"}), set()

        def is_done() -> bool:
            lines.update(command_lines())
            return Job.objects.get(pk=job.pk).state == "done"

        eventually(is_done, 90)
        for program in ("gunicorn", "celery", "SparkConnectServer", "preloading_daemon", "postgres"):
            assert any(program in line for line in lines), program
        assert len(password) > 20
        assert [line for line in lines if password in line] == []

        session = SparkSession.builder.remote(spark_remote).create()
        told = {row.key: row.value for row in session.sql("SET").collect()}
        session.stop()
        assert told["spark.ui.enabled"] == "false"
        assert told.get("spark.eventLog.enabled", "false") == "false"
        assert [name for name, value in told.items() if password in value] == []
        assert password not in log_tail(servers.home, "spark", size=10_000_000)
