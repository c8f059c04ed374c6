"""The scheduler of beat, which reads its schedules from the database."""

from django_celery_beat.schedulers import DatabaseScheduler

from hubconsole.pooler import end_behind_pooler


class Scheduler(DatabaseScheduler):
    """Ends behind a pooler. Celery's signal for the start of beat comes after the first queries."""

    def setup_schedule(self) -> None:
        end_behind_pooler()
        super().setup_schedule()
