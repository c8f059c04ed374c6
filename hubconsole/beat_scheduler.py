"""The scheduler of beat, which reads its schedules from the database."""

from django_celery_beat.schedulers import DatabaseScheduler

from hubconsole.pooler import end_behind_pooler
from hubconsole.pulse import touch_pulse


class Scheduler(DatabaseScheduler):
    """Ends behind a pooler. Celery's signal for the start of beat comes after the first queries."""

    def setup_schedule(self) -> None:
        end_behind_pooler()
        super().setup_schedule()

    def tick(self, *arguments: object, **options: object) -> float:
        """Start what is due, and return the seconds until the next round."""
        touch_pulse()
        return super().tick(*arguments, **options)
