"""Jobs that do not exist yet, for tests of their previews and limits."""

from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import JobRequest


def request_of(kind: str, filter: object = None, user: object = None, **options: object) -> JobRequest:
    return JobRequest(spec=spec_of(kind), filter=filter or {}, options=options, user=user)
