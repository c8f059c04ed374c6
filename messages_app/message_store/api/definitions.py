"""Source definitions over REST. Source: docs/contributing/spec/interfaces.md, "Message store"."""

from collections.abc import Mapping
from typing import TypedDict

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView, ApiView
from messages_app.access.calls import ServiceCallView, describe_post, validate_body
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.api_schema import (
    ACTING,
    ACTING_ON_ONE,
    IDEMPOTENCY,
    IF_MATCH,
    IF_NONE_MATCH,
    READING,
    READING_TAGGED,
    describe_answers,
    page_of,
    paging_parameters,
)
from messages_app.core.etags import EntityTag, tag_of
from messages_app.core.lists.api import PAGING, page_answer, page_wanted
from messages_app.core.parameters import read_address_id
from messages_app.core.problems import not_found, quote_value
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import ReasonField, StrictCharField, StrictSerializer
from messages_app.message_store import registration, selectors, services
from messages_app.message_store.api.problems import as_problems
from messages_app.message_store.models import MAX_NAME, SourceDefinition

# Bodies and answers of the calls about source definitions.


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


class NewDefinitionBody(TypedDict):
    system: str
    entity: str
    json_schema: dict[str, object]
    key_fields: list[str]
    references: dict[str, str]
    children: dict[str, str]
    reader: str
    processor: str
    reason: str


class RemoveDefinitionSerializer(StrictSerializer):
    """Why."""

    reason = ReasonField()


class RemoveDefinitionBody(TypedDict):
    reason: str


class RemovedSerializer(serializers.Serializer):
    definition_id = serializers.IntegerField()
    removed = serializers.BooleanField()


def _parse_id(text: str) -> int:
    return read_address_id(text, noun="source definition")


def _locked_definition(definitions: QuerySet[SourceDefinition]) -> Mapping[str, object] | None:
    """Return the one definition as its GET returns it, locked; None if it does not exist."""
    found = definitions.select_for_update(no_key=True).first()
    return None if found is None else represent_value(DefinitionSerializer, found)


class DefinitionsView(ActingView):
    rights = {"GET": registration.CAN_VIEW_STORE, "POST": registration.CAN_CHANGE_DEFINITIONS}
    parameters = PAGING
    audited_as = "define_source"
    location = "message-store/source-definitions/{definition_id}/"

    # The tag is that of the definition that a POST replaces; a list does not have one.
    def takes_conditions(self, request: Request) -> bool:
        return request.method == "POST"

    def tag_of(self, body: Mapping[str, object]) -> EntityTag:
        return tag_of(body, moving=())

    def locked_object(self, request: Request) -> Mapping[str, object] | None:
        asked: NewDefinitionBody = validate_body(NewDefinitionSerializer, request)
        named = SourceDefinition.objects.filter(system=asked["system"], entity=asked["entity"])
        return _locked_definition(named)

    @extend_schema(
        operation_id="source_definitions_list",
        parameters=paging_parameters(),
        responses=describe_answers(200, page_of(DefinitionSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List source definitions."""
        page = selectors.definition_page(**page_wanted(request))
        return page_answer(request, page, represent_all(DefinitionSerializer, page.rows))

    @extend_schema(
        request=NewDefinitionSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses={**describe_answers(201, DefinitionSerializer, (*ACTING, 412)), 200: DefinitionSerializer},
    )
    def post(self, request: Request) -> HttpResponse:
        """Store a source definition (201), or replace that of the same system and entity (200)."""
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        body: NewDefinitionBody = validate_body(NewDefinitionSerializer, request)
        wanted = services.Definition(
            system=body["system"],
            entity=body["entity"],
            key_fields=body["key_fields"],
            json_schema=body["json_schema"],
            references=body["references"],
            children=body["children"],
            reader=body["reader"],
            processor=body["processor"],
        )
        with as_problems():
            definition, is_new = services.store_definition(
                definition=wanted, actor=actor_of(request), reason=body["reason"]
            )
        return Answer(201 if is_new else 200, represent_value(DefinitionSerializer, definition))


class DefinitionView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}
    moving = frozenset()

    @extend_schema(
        operation_id="source_definitions_retrieve",
        parameters=[IF_NONE_MATCH],
        responses=describe_answers(200, DefinitionSerializer, READING_TAGGED),
    )
    def get(self, request: Request, definition_id: str) -> Response:
        """Return one source definition."""
        definition = SourceDefinition.objects.filter(pk=_parse_id(definition_id)).first()
        if definition is None:
            raise not_found(f"No source definition has the id {quote_value(definition_id)}.")
        return Response(represent_value(DefinitionSerializer, definition))


@describe_post(
    RemoveDefinitionSerializer,
    {200: RemovedSerializer},
    ACTING_ON_ONE,
    description="Remove a source definition. Its messages then end with error 23 or 24.",
    parameters=(IF_MATCH,),
)
class RemoveView(ServiceCallView[RemoveDefinitionBody]):
    as_problems = staticmethod(as_problems)
    rights = {"POST": registration.CAN_CHANGE_DEFINITIONS}
    audited_as = "remove_source"
    moving = frozenset()
    gives_tagged = False

    def locked_object(self, request: Request, definition_id: str) -> Mapping[str, object]:
        found = _locked_definition(SourceDefinition.objects.filter(pk=_parse_id(definition_id)))
        if found is None:
            raise not_found(f"No source definition has the id {quote_value(definition_id)}.")
        return found

    def call(self, body: RemoveDefinitionBody, actor: Actor, definition_id: str) -> Answer:
        number = _parse_id(definition_id)
        services.remove_definition(definition_id=number, actor=actor, reason=body["reason"])
        return Answer(200, {"definition_id": number, "removed": True})
