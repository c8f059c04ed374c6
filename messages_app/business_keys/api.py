"""
Business keys over REST: definitions, a preview of a path, and the search for values.

Source: docs/contributing/spec/interfaces.md, "Business keys".
"""

from collections.abc import Mapping
from functools import partial

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.api import whole_list
from messages_app.access.calls import Action
from messages_app.access.reads import Read
from messages_app.audit.services import Actor
from messages_app.business_keys import services
from messages_app.business_keys.models import MAX_NAME, KeyDefinition
from messages_app.business_keys.preview import MAX_PREVIEWED, preview_path
from messages_app.business_keys.registration import CAN_CHANGE_KEYS
from messages_app.business_keys.selectors import (
    MAX_RESULTS,
    find_prefix,
    find_value,
    list_definitions,
    living_definitions,
)
from messages_app.business_keys.suggestions import MAX_SUGGESTIONS, suggest_keys
from messages_app.core.api_schema import page_of
from messages_app.core.parameters import read_address_id, read_addressed_row
from messages_app.core.problems import bad_field, not_found, problems_for
from messages_app.core.representation import represent_all
from messages_app.core.serializers import (
    OptionalReasonField,
    RowSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictSerializer,
)
from messages_app.shared.key_extraction import is_usable
from messages_app.shared.xml_paths import MAX_PATH

_NOUN = "business key"
_PATH_HELP = "XPath, or JSONPath if it begins with $."


class KeyDefinitionSerializer(RowSerializer):
    class Meta:
        model = KeyDefinition
        fields = (
            "definition_id",
            "service_name",
            "operation_name",
            "name",
            "path",
            "sensitive",
            "active",
            "created_at",
            "read",
            "unreadable",
            "missing",
            "unusable",
            "problem",
            "problem_msg_id",
            "problem_at",
        )


class OperationSerializer(StrictSerializer):
    service_name = StrictCharField(max_length=30, help_text="As messages name it.")
    operation_name = StrictCharField(max_length=100, help_text="As messages name it.")


class PathSerializer(OperationSerializer):
    path = StrictCharField(max_length=MAX_PATH, help_text=_PATH_HELP)


class NewKeySerializer(PathSerializer):
    name = StrictCharField(max_length=MAX_NAME, help_text="In words, such as order.")
    sensitive = StrictBooleanField(
        required=False, help_text="Its values are found and shown only with the permission for payloads."
    )
    active = StrictBooleanField(required=False)
    reason = OptionalReasonField()


class KeyChangesSerializer(StrictSerializer):
    name = StrictCharField(max_length=MAX_NAME, required=False)
    sensitive = StrictBooleanField(required=False)
    active = StrictBooleanField(required=False, help_text="If false, no further values are extracted.")
    reason = OptionalReasonField()


class WhyRemoveKeySerializer(StrictSerializer):
    reason = OptionalReasonField()


class RemovedKeySerializer(serializers.Serializer[object]):
    definition_id = serializers.IntegerField()
    removed = serializers.BooleanField()


class PreviewLineSerializer(serializers.Serializer[object]):
    msg_id = serializers.IntegerField()
    values = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="The values; null without the permission for payloads.",
    )
    count = serializers.IntegerField(help_text="Number of values.")
    problem = serializers.CharField(
        allow_blank=True, help_text="Why there is no value, or a value that cannot be used."
    )


class PreviewSerializer(serializers.Serializer[object]):
    results = PreviewLineSerializer(many=True)


class SuggestionSerializer(serializers.Serializer[object]):
    path = serializers.CharField(help_text=_PATH_HELP)
    name = serializers.CharField(help_text="A name for the key, from that of the field.")
    example = serializers.CharField(
        allow_null=True, help_text="A value; null without the permission for payloads."
    )
    messages = serializers.IntegerField(help_text="Number of messages with a value.")
    total = serializers.IntegerField(help_text="Number of messages that were read.")
    different = serializers.IntegerField(help_text="Number of different values.")


class SuggestionsSerializer(serializers.Serializer[object]):
    results = SuggestionSerializer(many=True)


class KeyMatchSerializer(serializers.Serializer[object]):
    name = serializers.CharField(help_text="The name of the key.")
    value = serializers.CharField()
    msg_id = serializers.IntegerField()
    archived = serializers.SerializerMethodField(help_text="Whether the message is only in the archive.")
    receive_timestamp = serializers.DateTimeField()

    def get_archived(self, match: object) -> bool:
        return not getattr(match, "live", False)


def answer_definitions() -> Response:
    return whole_list(represent_all(KeyDefinitionSerializer, list_definitions()))


def read_definition(*, definition_id: int) -> KeyDefinition:
    return read_addressed_row(living_definitions(), str(definition_id), noun=_NOUN)


def remove_definition(*, definition_id: int, actor: Actor, reason: str) -> Mapping[str, object]:
    services.delete_definition(definition_id=definition_id, actor=actor, reason=reason)
    return {"definition_id": definition_id, "removed": True}


def answer_preview(
    *, user: Caller, service_name: str, operation_name: str, path: str
) -> Mapping[str, object]:
    lines = preview_path(
        service_name=service_name,
        operation_name=operation_name,
        path=path,
        may_view_payload=user.has_perm(roles.CAN_VIEW_PAYLOAD),
    )
    return {"results": lines}


def answer_suggestions(*, user: Caller, service_name: str, operation_name: str) -> Mapping[str, object]:
    suggestions = suggest_keys(
        service_name=service_name,
        operation_name=operation_name,
        may_view_payload=user.has_perm(roles.CAN_VIEW_PAYLOAD),
    )
    return {"results": suggestions}


def search_keys(request: Request) -> Response:
    """Return the messages with a value. Raises Problem: 400."""
    value, prefix = (request.query_params.get(name, "") for name in ("value", "prefix"))
    if value and prefix:
        raise bad_field("prefix", "invalid_value", "Give either value or prefix.")
    name = "value" if value else "prefix"
    if not is_usable(value or prefix):
        raise bad_field(name, "invalid_value", f"{name} is not a text that a key can have.")
    may_view_payload = request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
    matches = (
        find_value(value, may_view_payload=may_view_payload)
        if value
        else find_prefix(prefix, may_view_payload=may_view_payload)
    )
    return whole_list(represent_all(KeyMatchSerializer, matches))


def _definition_id(text: str) -> int:
    return read_address_id(text, noun=_NOUN)


_as_problems = problems_for({services.DefinitionNotFound: lambda error: not_found(str(error))})
_one = partial(Action, right=CAN_CHANGE_KEYS, key=_definition_id, errors=_as_problems)

CALLS = [
    Read(
        "business-keys/",
        answer_definitions,
        name="Business Key List",
        right=roles.CAN_VIEW_MESSAGES,
        answer=page_of(KeyDefinitionSerializer),
        operation_id="business_keys_list",
        description="List the definitions, by service, operation and name.",
    ),
    Action(
        "business-keys/",
        services.create_definition,
        right=CAN_CHANGE_KEYS,
        audited_as="create_business_key",
        body=NewKeySerializer,
        answer=KeyDefinitionSerializer,
        statuses=(201,),
        location="business-keys/{definition_id}/",
        operation_id="business_keys_create",
        description=(
            "Define a key of the messages of one operation. Its values are extracted from messages that "
            "arrive from now on."
        ),
    ),
    Action(
        "business-keys/preview/",
        answer_preview,
        right=CAN_CHANGE_KEYS,
        audited_as="preview_business_key",
        body=PathSerializer,
        answer=PreviewSerializer,
        operation_id="business_keys_preview",
        keeps_answer=False,
        description=f"Try a path on the newest {MAX_PREVIEWED} messages of an operation.",
    ),
    Action(
        "business-keys/suggestions/",
        answer_suggestions,
        right=CAN_CHANGE_KEYS,
        audited_as="suggest_business_keys",
        body=OperationSerializer,
        answer=SuggestionsSerializer,
        operation_id="business_keys_suggest",
        keeps_answer=False,
        description=(
            f"Find up to {MAX_SUGGESTIONS} fields in the newest {MAX_PREVIEWED} messages of an operation "
            "whose values look like numbers, the likeliest keys first."
        ),
    ),
    Read(
        "business-keys/<str:definition_id>/",
        read_definition,
        name="Business Key",
        right=roles.CAN_VIEW_MESSAGES,
        key=_definition_id,
        answer=KeyDefinitionSerializer,
        operation_id="business_keys_retrieve",
        description="Retrieve one definition, with the number of messages without a usable value.",
    ),
    _one(
        "business-keys/<str:definition_id>/",
        services.change_definition,
        method="PATCH",
        audited_as="change_business_key",
        body=KeyChangesSerializer,
        answer=KeyDefinitionSerializer,
        operation_id="business_keys_partial_update",
        description="Change a definition. To change a path, define another key and delete this one.",
    ),
    _one(
        "business-keys/<str:definition_id>/",
        remove_definition,
        method="DELETE",
        audited_as="delete_business_key",
        body=WhyRemoveKeySerializer,
        answer=RemovedKeySerializer,
        operation_id="business_keys_destroy",
        description="Delete a definition. Its values are no longer found, and are deleted soon.",
    ),
    Read(
        "keys/",
        search_keys,
        name="Key List",
        right=roles.CAN_VIEW_MESSAGES,
        query=frozenset({"value", "prefix"}),
        parameters=[
            OpenApiParameter("value", str, description="The whole value. Newest messages first."),
            OpenApiParameter("prefix", str, description="The beginning of a value, by default any."),
        ],
        answer=page_of(KeyMatchSerializer),
        operation_id="keys_list",
        description=(
            f"Find up to {MAX_RESULTS} messages by a business key, live and archived. Sensitive keys are "
            "found only with the permission for payloads."
        ),
    ),
]
