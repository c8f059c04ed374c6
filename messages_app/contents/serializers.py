"""What the API says of a content. Source: spec/interfaces.md 5."""

from rest_framework import serializers

WHY_MASKED = "Values are replaced, for want of the right view_payload or, in a session, of a reason."


class ContentSerializer(serializers.Serializer):
    content = serializers.CharField(allow_null=True, help_text="null: nothing stored, or hidden whole.")
    content_type = serializers.CharField(allow_null=True)
    bytes = serializers.IntegerField(help_text="Size of what is stored, in UTF-8.")
    masked = serializers.BooleanField(help_text=WHY_MASKED)
