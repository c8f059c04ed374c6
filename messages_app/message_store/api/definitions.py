"""Source definitions over REST. Source: spec/interfaces.md 7."""

from collections.abc import Mapping

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView, ActionView, ApiView
from messages_app.access.idempotency import Answer
from messages_app.message_store import queries, services
from messages_app.message_store.api import definition_serializers as serializers
from messages_app.message_store.api.problems import as_problems, body_of, described
from messages_app.message_store.models import SourceDefinition
from messages_app.web import paging
from messages_app.web.api_schema import (
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
from messages_app.web.etags import EntityTag, tag_of
from messages_app.web.ids import read_id
from messages_app.web.problems import not_found, shown


def _id(text: str) -> int:
    number = read_id(text)
    if number is None:
        raise not_found(f"No source definition has the id {shown(text)}.")
    return number


def _locked(definitions: QuerySet[SourceDefinition]) -> Mapping[str, object] | None:
    """Return the one definition as its GET gives it, locked; None where there is none."""
    found = definitions.select_for_update(no_key=True).first()
    return None if found is None else serializers.DefinitionSerializer(found).data


class DefinitionsView(ActingView):
    rights = {"GET": roles.CAN_VIEW_STORE, "POST": roles.CAN_CHANGE_DEFINITIONS}
    parameters = frozenset({"cursor", "page_size"})
    audited_as = "define_source"
    location = "message-store/source-definitions/{definition_id}/"

    # Of the definition that a POST replaces; a list has no tag.
    def takes_conditions(self, request: Request) -> bool:
        return request.method == "POST"

    def tag_of(self, body: Mapping[str, object]) -> EntityTag:
        return tag_of(body, moving=())

    def seen(self, request: Request) -> Mapping[str, object] | None:
        asked = body_of(serializers.NewDefinitionSerializer, request).validated_data
        named = SourceDefinition.objects.filter(system=asked["system"], entity=asked["entity"])
        return _locked(named)

    @extend_schema(
        operation_id="source_definitions_list",
        parameters=paging_parameters(),
        responses=answers(200, page_of(serializers.DefinitionSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List source definitions."""
        how = paging.arguments(self.values)
        page = queries.definition_page(cursor=how["cursor"], page_size=how["page_size"])
        rows = serializers.DefinitionSerializer(page.rows, many=True).data
        return Response({**paging.page_links(request._request, page), "results": rows})

    @extend_schema(
        request=serializers.NewDefinitionSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=answers(201, serializers.DefinitionSerializer, (*ACTING, 412))
        | {200: serializers.DefinitionSerializer},
    )
    def post(self, request: Request) -> HttpResponse:
        """Store a source definition (201), or replace that of the same system and entity (200)."""
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        values = dict(body_of(serializers.NewDefinitionSerializer, request).validated_data)
        reason = values.pop("reason")
        with as_problems():
            definition, is_new = services.define(
                definition=services.Definition(**values), actor=actor_of(request), reason=reason
            )
        return Answer(201 if is_new else 200, serializers.DefinitionSerializer(definition).data)


class DefinitionView(ApiView):
    rights = {"GET": roles.CAN_VIEW_STORE}
    moving = frozenset()

    @extend_schema(
        operation_id="source_definitions_retrieve",
        parameters=[IF_NONE_MATCH],
        responses=answers(200, serializers.DefinitionSerializer, READING_TAGGED),
    )
    def get(self, request: Request, definition_id: str) -> Response:
        """Give one source definition."""
        definition = SourceDefinition.objects.filter(pk=_id(definition_id)).first()
        if definition is None:
            raise not_found(f"No source definition has the id {shown(definition_id)}.")
        return Response(serializers.DefinitionSerializer(definition).data)


@described(
    serializers.RemoveDefinitionSerializer,
    serializers.RemovedSerializer,
    ACTING_ON_ONE,
    description="Remove a source definition; its messages end in 23 or 24 from then on.",
    parameters=(IF_MATCH,),
    status=200,
)
class RemoveView(ActionView):
    rights = {"POST": roles.CAN_CHANGE_DEFINITIONS}
    audited_as = "remove_source"
    moving = frozenset()
    gives_tagged = False

    def seen(self, request: Request, definition_id: str) -> Mapping[str, object]:
        found = _locked(SourceDefinition.objects.filter(pk=_id(definition_id)))
        if found is None:
            raise not_found(f"No source definition has the id {shown(definition_id)}.")
        return found

    def act(self, request: Request, definition_id: str) -> Answer:
        reason = body_of(serializers.RemoveDefinitionSerializer, request).validated_data["reason"]
        number = _id(definition_id)
        with as_problems():
            services.remove_definition(definition_id=number, actor=actor_of(request), reason=reason)
        return Answer(200, {"definition_id": number, "removed": True})
