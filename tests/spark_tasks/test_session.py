from spark_tasks.session import spark_session


class TestSparkSession:
    def test_holds_no_side_of_a_join_in_memory(self, spark_remote, capsys):
        with spark_session(spark_remote) as spark:
            spark.range(10).join(spark.range(10), on="id").explain()
        plan = capsys.readouterr().out
        assert "SortMergeJoin" in plan
        assert "Broadcast" not in plan
