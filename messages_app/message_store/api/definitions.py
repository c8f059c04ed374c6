"""Source definitions over REST. Source: docs/spec/interfaces.md, "Message store"."""

from collections.abc import Mapping

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView, ActionView, ApiView
from messages_app.access.idempotency import Answer
from messages_app.core.api_schema import (
    ACTING,
    ACTING_ON_ONE,
    IDEMPOTENCY,
    IF_MATCH,
    IF_NONE_MATCH,
    READING,
    READING_TAGGED,
    answers,
    page_of,
    paging_parameters,
)
from messages_app.core.etags import EntityTag, tag_of
from messages_app.core.pagination import paginator
from messages_app.core.parameters import read_id
from messages_app.core.problems import not_found, shown
from messages_app.core.serializers import ReasonField, StrictCharField, StrictSerializer
from messages_app.message_store import registration, selectors, services
from messages_app.message_store.api.problems import as_problems, body_of, described
from messages_app.message_store.models import MAX_NAME, SourceDefinition

# What the API says of source definitions, and what it takes.
#
# Source: docs/spec/interfaces.md, "Message store".


class DefinitionSerializer(serializers.Serializer):
    """A source definition."""

    definition_id = serializers.IntegerField()
    system = serializers.CharField()
    entity = serializers.CharField()
    json_schema = serializers.JSONField()
    key_fields = serializers.ListField(child=serializers.CharField())
    references = serializers.DictField(child=serializers.CharField())
    children = serializers.DictField(child=serializers.CharField())
    reader = serializers.CharField(allow_blank=True)
    processor = serializers.CharField(allow_blank=True)
    changed_at = serializers.DateTimeField()


class NewDefinitionSerializer(StrictSerializer):
    """A source definition to be stored; one of this system and entity is replaced."""

    system = StrictCharField(
        max_length=MAX_NAME, trim_whitespace=False, help_text='"*": messages without a system.'
    )
    entity = StrictCharField(max_length=MAX_NAME, trim_whitespace=False)
    json_schema = serializers.DictField(required=False, default=dict, help_text="JSON Schema of one record.")
    key_fields = serializers.ListField(child=StrictCharField(trim_whitespace=False), allow_empty=False)
    references = serializers.DictField(
        child=StrictCharField(trim_whitespace=False),
        required=False,
        default=dict,
        help_text="Field and the entity it refers to.",
    )
    children = serializers.DictField(
        child=StrictCharField(trim_whitespace=False),
        required=False,
        default=dict,
        help_text="Field and the entity of its records.",
    )
    reader = StrictCharField(required=False, default="", allow_blank=True, max_length=100)
    processor = StrictCharField(required=False, default="", allow_blank=True, max_length=100)
    reason = ReasonField(required=False, default="", allow_blank=True)


class RemoveDefinitionSerializer(StrictSerializer):
    """Why."""

    reason = ReasonField()


class RemovedSerializer(serializers.Serializer):
    definition_id = serializers.IntegerField()
    removed = serializers.BooleanField()


def _id(text: str) -> int:
    number = read_id(text)
    if number is None:
        raise not_found(f"No source definition has the id {shown(text)}.")
    return number


def _locked(definitions: QuerySet[SourceDefinition]) -> Mapping[str, object] | None:
    """Return the one definition as its GET gives it, locked; None where there is none."""
    found = definitions.select_for_update(no_key=True).first()
    return None if found is None else DefinitionSerializer(found).data


class DefinitionsView(ActingView):
    rights = {"GET": registration.CAN_VIEW_STORE, "POST": registration.CAN_CHANGE_DEFINITIONS}
    parameters = frozenset({"cursor", "page_size"})
    audited_as = "define_source"
    location = "message-store/source-definitions/{definition_id}/"

    # Of the definition that a POST replaces; a list has no tag.
    def takes_conditions(self, request: Request) -> bool:
        return request.method == "POST"

    def tag_of(self, body: Mapping[str, object]) -> EntityTag:
        return tag_of(body, moving=())

    def seen(self, request: Request) -> Mapping[str, object] | None:
        asked = body_of(NewDefinitionSerializer, request).validated_data
        named = SourceDefinition.objects.filter(system=asked["system"], entity=asked["entity"])
        return _locked(named)

    @extend_schema(
        operation_id="source_definitions_list",
        parameters=paging_parameters(),
        responses=answers(200, page_of(DefinitionSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List source definitions."""
        how = paginator.arguments(self.values)
        page = selectors.definition_page(cursor=how["cursor"], page_size=how["page_size"])
        rows = DefinitionSerializer(page.rows, many=True).data
        return Response({**paginator.page_links(request._request, page), "results": rows})

    @extend_schema(
        request=NewDefinitionSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=answers(201, DefinitionSerializer, (*ACTING, 412)) | {200: DefinitionSerializer},
    )
    def post(self, request: Request) -> HttpResponse:
        """Store a source definition (201), or replace that of the same system and entity (200)."""
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        values = dict(body_of(NewDefinitionSerializer, request).validated_data)
        reason = values.pop("reason")
        with as_problems():
            definition, is_new = services.define(
                definition=services.Definition(**values), actor=actor_of(request), reason=reason
            )
        return Answer(201 if is_new else 200, DefinitionSerializer(definition).data)


class DefinitionView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}
    moving = frozenset()

    @extend_schema(
        operation_id="source_definitions_retrieve",
        parameters=[IF_NONE_MATCH],
        responses=answers(200, DefinitionSerializer, READING_TAGGED),
    )
    def get(self, request: Request, definition_id: str) -> Response:
        """Give one source definition."""
        definition = SourceDefinition.objects.filter(pk=_id(definition_id)).first()
        if definition is None:
            raise not_found(f"No source definition has the id {shown(definition_id)}.")
        return Response(DefinitionSerializer(definition).data)


@described(
    RemoveDefinitionSerializer,
    RemovedSerializer,
    ACTING_ON_ONE,
    description="Remove a source definition. Its messages then end with error 23 or 24.",
    parameters=(IF_MATCH,),
    status=200,
)
class RemoveView(ActionView):
    rights = {"POST": registration.CAN_CHANGE_DEFINITIONS}
    audited_as = "remove_source"
    moving = frozenset()
    gives_tagged = False

    def seen(self, request: Request, definition_id: str) -> Mapping[str, object]:
        found = _locked(SourceDefinition.objects.filter(pk=_id(definition_id)))
        if found is None:
            raise not_found(f"No source definition has the id {shown(definition_id)}.")
        return found

    def act(self, request: Request, definition_id: str) -> Answer:
        reason = body_of(RemoveDefinitionSerializer, request).validated_data["reason"]
        number = _id(definition_id)
        with as_problems():
            services.remove_definition(definition_id=number, actor=actor_of(request), reason=reason)
        return Answer(200, {"definition_id": number, "removed": True})
