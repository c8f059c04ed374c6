import pytest

from messages_app.jobs.schedules.tasks import run_schedule


@pytest.mark.parametrize("args", [[], ["3"], [None], [True], [[3]], [3, 4], [{"id": 3}]])
def test_a_periodic_task_without_a_schedule_fails_with_the_reason(args):
    with pytest.raises(ValueError, match="takes the number of one schedule"):
        run_schedule(*args)


@pytest.mark.django_db
def test_a_schedule_that_no_longer_exists_makes_nothing():
    assert run_schedule(77, another="x") is None
