import pytest
from django.conf import settings

from spark_tasks.session import NotLetIn, SparkConnectGrpcException, knock, spark_session


class TestSparkSession:
    def test_holds_no_side_of_a_join_in_memory(self, spark_remote, capsys):
        with spark_session(spark_remote) as spark:
            spark.range(10).join(spark.range(10), on="id").explain()
        plan = capsys.readouterr().out
        assert "SortMergeJoin" in plan
        assert "Broadcast" not in plan


class TestKnock:
    def test_is_let_in_with_the_token(self, spark_remote):
        knock(spark_remote)

    @pytest.mark.parametrize("token", ["", ";token=another"])
    def test_is_not_without_it(self, spark_remote, token):
        with pytest.raises(NotLetIn):
            knock(spark_remote.partition(";")[0] + token)

    def test_tells_apart_what_is_no_spark(self):
        with pytest.raises(SparkConnectGrpcException):
            knock(f"sc://localhost:{settings.DATABASES['default']['PORT']}")
