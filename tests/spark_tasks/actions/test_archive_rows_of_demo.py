"""The archive job on a whole demo, every row compared. Slow."""

import pytest
from django.core.management import call_command

from tests.spark_tasks.actions.archives import archive
from tests.support.oracle import Oracle, places

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


@pytest.mark.slow
class TestDemoMonth:
    def test_has_correct_sums_in_all_five_pairs_of_tables(self):
        call_command("demo", messages=100_000, verbosity=0)
        oracle = Oracle()

        progress = archive()

        assert oracle.verdict().is_clean
        assert progress.planned == progress.done + progress.skipped > 40_000
        for table, moved in progress.moved.items():
            live, archived = places(table)
            assert len(archived) == moved
            assert len(live) + moved == sum(key[0] == table for key in oracle.before)
