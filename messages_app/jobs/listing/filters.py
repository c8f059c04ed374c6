"""The filters of the list of jobs, as the API has them."""

from messages_app.jobs.states import JobKind, JobState
from messages_app.web.filters.table import Filter, table
from messages_app.web.filters.values import parse_choice

JOBS = table(
    Filter(name="state", lookup="", parse=parse_choice, choices=tuple(JobState), repeatable=True),
    Filter(name="kind", lookup="", parse=parse_choice, choices=tuple(JobKind), repeatable=True),
)
