"""Source definitions over REST. Source: docs/contributing/spec/interfaces.md, "Message store"."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.access.reads import Listing, Read
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING
from messages_app.core.etags import Tag
from messages_app.core.parameters import read_address_id
from messages_app.core.problems import not_found
from messages_app.core.representation import represent_value, validate_value
from messages_app.core.serializers import ReasonField, StrictCharField, StrictSerializer
from messages_app.message_store import selectors
from messages_app.message_store.api.problems import as_problems
from messages_app.message_store.models import MAX_NAME, SourceDefinition
from messages_app.message_store.registration import CAN_CHANGE_DEFINITIONS, CAN_VIEW_STORE
from messages_app.message_store.services.definitions import Definition, remove_definition, store_definition


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


def definition_id(text: str) -> int:
    return read_address_id(text, noun="source definition")


def get_definition(*, definition_id: int) -> SourceDefinition:
    """Return a definition. Raises Problem: 404."""
    definition = SourceDefinition.objects.filter(pk=definition_id).first()
    if definition is None:
        raise not_found(f"No source definition has the id '{definition_id}'.")
    return definition


def _lock_definition(*, definition_id: int) -> Mapping[str, object]:
    definition = _lock_first(SourceDefinition.objects.filter(pk=definition_id))
    if definition is None:
        raise not_found(f"No source definition has the id '{definition_id}'.")
    return definition


def _lock_replaced(request: Request) -> Mapping[str, object] | None:
    """Return the definition that a new one replaces, locked; None if it does not exist."""
    body = validate_value(NewDefinitionSerializer, request.data)
    return _lock_first(SourceDefinition.objects.filter(system=body["system"], entity=body["entity"]))


def _lock_first(definitions: QuerySet[SourceDefinition]) -> Mapping[str, object] | None:
    definition = definitions.select_for_update(no_key=True).first()
    return None if definition is None else represent_value(DefinitionSerializer, definition)


def save_definition(*, actor: Actor, reason: str, **properties: Any) -> Answer:
    definition, is_new = store_definition(definition=Definition(**properties), actor=actor, reason=reason)
    return Answer(201 if is_new else 200, represent_value(DefinitionSerializer, definition))


def remove_and_report(*, definition_id: int, actor: Actor, reason: str) -> Mapping[str, object]:
    remove_definition(definition_id=definition_id, actor=actor, reason=reason)
    return {"definition_id": definition_id, "removed": True}


_DEFINITION = Tag(lock=_lock_definition)

CALLS = [
    Listing(
        "source-definitions/",
        selectors.definition_page,
        name="Definitions",
        right=CAN_VIEW_STORE,
        answer=DefinitionSerializer,
        operation_id="source_definitions_list",
        description="List source definitions.",
    ),
    Action(
        "source-definitions/",
        save_definition,
        right=CAN_CHANGE_DEFINITIONS,
        audited_as="define_source",
        body=NewDefinitionSerializer,
        answer=DefinitionSerializer,
        statuses=(201, 200),
        problems=(*ACTING, 412),
        tag=Tag(lock=_lock_replaced),
        errors=as_problems,
        location="message-store/source-definitions/{definition_id}/",
        description=("Store a source definition (201), or replace that of the same system and entity (200)."),
    ),
    Read(
        "source-definitions/<str:definition_id>/",
        get_definition,
        name="Definition",
        right=CAN_VIEW_STORE,
        key=definition_id,
        answer=DefinitionSerializer,
        tag=_DEFINITION,
        operation_id="source_definitions_retrieve",
        description="Return one source definition.",
    ),
    Action(
        "source-definitions/<str:definition_id>/remove/",
        remove_and_report,
        right=CAN_CHANGE_DEFINITIONS,
        key=definition_id,
        audited_as="remove_source",
        body=RemoveDefinitionSerializer,
        answer=RemovedSerializer,
        tag=_DEFINITION,
        gives_tag=False,
        errors=as_problems,
        description="Remove a source definition. Its messages then end with error 23 or 24.",
    ),
]
