"""Bodies of tokens and of entries of the audit log have each value of its own column."""

from messages_app.access.account_api import AuditEntrySerializer
from messages_app.access.models import ApiToken
from messages_app.access.token_api import TokenSerializer
from messages_app.audit.models import AuditEntry
from messages_app.core.representation import represent_value
from tests.support.distinct_rows import as_json, check_body, distinct_columns


class TestBodies:
    def test_have_each_value_of_entries(self):
        check_body(
            AuditEntrySerializer,
            AuditEntry,
            without={"transaction_id"},
            outcome="refused",
            address="192.0.2.7",
            details={"refusal": "in_job"},
        )

    def test_have_each_value_of_tokens(self):
        columns = distinct_columns(ApiToken, scopes=["jobs:run"])
        columns.pop("user_id")
        token = ApiToken(**columns)
        token.user = ApiToken._meta.get_field("user").related_model(username="grace")
        shown = as_json(columns)
        names = (
            "token_id",
            "name",
            "scopes",
            "created_at",
            "expires_at",
            "last_used_at",
            "revoked_at",
            "requests_per_minute",
        )
        assert represent_value(TokenSerializer, token) == {name: shown[name] for name in names} | {
            "user": "grace"
        }
