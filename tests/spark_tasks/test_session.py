import os
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings

from spark_tasks import session
from spark_tasks.session import (
    AccessDenied,
    SparkConnectGrpcException,
    check_access,
    end_sessions,
    spark_session,
)
from tests.support.eventually import eventually


class Failed(Exception):
    """A job went wrong."""


def fail(spark_remote: str) -> str:
    """Use the session, let its user fail, and return which session it was."""
    found: list[str] = []
    with pytest.raises(Failed):
        _use_and_fail(spark_remote, found)
    return found[0]


def _use_and_fail(spark_remote: str, found: list[str]) -> None:
    with spark_session(spark_remote) as spark:
        found.append(spark.session_id)
        raise Failed


def session_id(spark_remote: str) -> str:
    with spark_session(spark_remote) as spark:
        return spark.session_id


def endless_work(begun: Path):
    """Return a task that ends only when Spark ends it."""

    def work(batches):
        import threading

        begun.touch()
        threading.Event().wait(120)
        yield from batches

    return work


class TestSparkSession:
    def test_is_shared_by_threads(self, spark_remote):
        with ThreadPoolExecutor(3) as pool, spark_session(spark_remote) as spark:
            assert set(pool.map(session_id, [spark_remote] * 3)) == {spark.session_id}

    def test_makes_its_session_the_active_one_of_each_thread(self, spark_remote):
        session_id(spark_remote)
        end_sessions()

        def rows() -> int:
            with spark_session(spark_remote) as spark:
                return spark.range(7).localCheckpoint().count()

        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(rows).result() == 7
            end_sessions()
            assert rows() == 7
            assert pool.submit(rows).result() == 7

    def test_survives_a_failing_user(self, spark_remote):
        before = session_id(spark_remote)
        assert fail(spark_remote) == before
        assert session_id(spark_remote) == before

    def test_is_given_up_when_two_users_in_a_row_fail(self, spark_remote):
        before = session_id(spark_remote)
        fail(spark_remote)
        fail(spark_remote)
        assert session_id(spark_remote) != before

    def test_continues_to_serve_its_users_when_it_is_given_up(self, spark_remote):
        with spark_session(spark_remote) as spark:
            fail(spark_remote)
            fail(spark_remote)
            assert session_id(spark_remote) != spark.session_id
            assert spark.range(5).count() == 5

    @pytest.mark.slow
    def test_interrupts_only_the_work_of_a_failing_user(self, spark_remote, tmp_path):
        def run(name: str) -> int:
            with spark_session(spark_remote) as spark:
                return spark.range(0, 1, 1, 1).mapInArrow(endless_work(tmp_path / name), "id long").count()

        def run_and_fail() -> None:
            with spark_session(spark_remote) as spark:
                rows = spark.range(0, 1, 1, 1).mapInArrow(endless_work(tmp_path / "own"), "id long")
                tags = spark.getTags()
                threading.Thread(target=_run_under, args=(spark, tags, rows, ended), daemon=True).start()
                eventually((tmp_path / "own").exists)
                raise Failed

        ended = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            with spark_session(spark_remote) as spark:
                other = pool.submit(run, "other")
                eventually((tmp_path / "other").exists)
                with pytest.raises(Failed):
                    run_and_fail()
                assert ended.wait(30)
                assert not other.done()
                spark.interruptAll()
            with pytest.raises(Exception, match=r"(?i)cancel|interrupt"):
                other.result()

    def test_keeps_no_side_of_a_join_in_memory(self, spark_remote, capsys):
        with spark_session(spark_remote) as spark:
            spark.range(10).join(spark.range(10), on="id").explain()
        plan = capsys.readouterr().out
        assert "SortMergeJoin" in plan
        assert "Broadcast" not in plan


def _run_under(spark, tags, rows, ended: threading.Event) -> None:
    """Run rows in another thread under the tags of a user's, as a call that its client gave up on would."""
    for tag in tags:
        spark.addTag(tag)
    try:
        rows.count()
    except Exception:  # Spark's, of a work that was cancelled
        ended.set()


class TestCheckAccess:
    def test_is_accepted_with_the_token(self, spark_remote):
        check_access(spark_remote)

    @pytest.mark.parametrize("token", ["", ";token=another"])
    def test_is_refused_without_it(self, spark_remote, token):
        with pytest.raises(AccessDenied):
            check_access(spark_remote.partition(";")[0] + token)

    def test_distinguishes_an_address_that_is_not_spark(self):
        with pytest.raises(SparkConnectGrpcException):
            check_access(f"sc://localhost:{settings.DATABASES['default']['PORT']}")


class TestShippedCode:
    def test_may_be_as_old_as_1970(self, tmp_path, monkeypatch):
        """As in an image that is the same whenever it is built."""
        module = tmp_path / "spark_tasks" / "contract.py"
        module.parent.mkdir()
        module.write_text("")
        os.utime(module, (0, 0))
        monkeypatch.setattr(session, "_ROOT", tmp_path)
        with zipfile.ZipFile(session._write_code(tmp_path)) as shipped:
            assert shipped.namelist() == ["spark_tasks/contract.py"]
