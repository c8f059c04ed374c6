"""An incident as the API describes it: in its own calls and in the handover of a shift."""

from rest_framework import serializers

from messages_app.core.api_schema import CodeField
from messages_app.incidents.listing import IncidentLine
from messages_app.incidents.models import IncidentState


class IncidentSerializer(serializers.Serializer[IncidentLine]):
    incident_id = serializers.IntegerField(source="incident.incident_id")
    state = CodeField("IncidentState", IncidentState, source="incident.state")
    title = serializers.CharField(source="incident.title")
    opened_at = serializers.DateTimeField(source="incident.opened_at")
    last_failure_at = serializers.DateTimeField(source="incident.last_failure_at")
    closed_at = serializers.DateTimeField(source="incident.closed_at", allow_null=True)
    external_system = serializers.CharField(
        source="incident.external_system", help_text="The system that was called; may be empty."
    )
    services = serializers.ListField(child=serializers.CharField(), source="incident.services")
    error_codes = serializers.ListField(child=serializers.CharField(), source="incident.error_codes")
    failing_now = serializers.IntegerField(
        help_text="Number of its messages, and rows of other stores, that are failed at this moment."
    )
    affected = serializers.IntegerField(source="incident.affected", help_text="Number of its messages.")
    owner = serializers.SerializerMethodField(help_text="null: no one has taken it.")
    note = serializers.CharField(help_text="Its newest note; empty: it has none.")

    def get_owner(self, line: IncidentLine) -> str | None:
        """Return the name of its owner."""
        return line.incident.owner or None
