"""The filters of the audit, as the API has them."""

from messages_app.audit.models import AuditEntry
from messages_app.web.filters.table import Filter, table, text_filter, time_range
from messages_app.web.filters.values import parse_choice, parse_id

ENTRIES = table(
    text_filter("actor", 150),
    text_filter("token_name", 60),
    text_filter("action", 40),
    Filter(name="outcome", lookup="outcome", parse=parse_choice, choices=tuple(AuditEntry.Outcome.values)),
    Filter(name="msg_id", lookup="msg_id", parse=parse_id),
    Filter(name="job_id", lookup="job_id", parse=parse_id),
    text_filter("request_id", 36),
    *time_range("at"),
)
