"""
Calls of a service about the object of a message that it has picked up.

Source: docs/contributing/spec/cp_queue.md, "Operations"; docs/contributing/spec/interfaces.md, "Further
calls".
"""

from collections.abc import Mapping
from typing import NotRequired, TypedDict, TypeVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView
from messages_app.access.calls import TakesBody, describe_post
from messages_app.access.idempotency import HEADER, Answer, check_key
from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING, IDEMPOTENCY, READING_ONE, describe_answers
from messages_app.core.problems import Problem, not_found
from messages_app.core.representation import represent_value
from messages_app.cp_queue import registration, selectors, services
from messages_app.cp_queue.api import call_serializers as calls
from messages_app.cp_queue.api import serializers as gives
from messages_app.cp_queue.api.problems import SUCCESS, QueueView, success
from messages_app.cp_queue.objects import FullText, ObjectInfo, object_source
from messages_app.cp_queue.states import PAGE_COUNT_QUEUE, REINDEXED_AFTER, RenditionChange

OfObject = TypeVar("OfObject", bound=calls.ObjectBody)


class _ObjectView(TakesBody[OfObject], ActingView):
    """
    A POST that reads an object: contents are never kept, so its answer is not kept for an Idempotency-Key.

    A token that is confined to some queues sees the objects that have messages in these.
    """

    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        if HEADER in request.headers:
            check_key(request.headers[HEADER])

    def affected_names(self, request: Request, reach: frozenset[str]) -> list[str | None]:
        body = self.body(request)
        return [*selectors.queues_of_object(body["ObjectID"], within=reach)] or [None]


class ObjectInfoView(_ObjectView[calls.ObjectInfoBody]):
    audited_as = "view_object_info"
    takes = calls.CpObjectInfoCallSerializer

    @extend_schema(
        operation_id="cp_queue_object_info",
        description="std.GetCPObjectInfo: the facts about an object. 404: it is unknown.",
        parameters=[IDEMPOTENCY],
        request=calls.CpObjectInfoCallSerializer,
        responses=describe_answers(200, gives.CpObjectInfoSerializer, READING_ONE),
    )
    def post(self, request: Request) -> Response:
        body = self.body(request)
        info = object_source().object_info(body["ObjectID"])
        if info is None:
            raise _unknown_object(body["ObjectID"])
        can_read = request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
        found = _to_facts(info, body["ObjectID"], can_read=can_read)
        if "Rights" in body:
            found["Rights"] = "R" if can_read and "R" in body["Rights"] else ""
        return Response(found)


class FullTextView(_ObjectView[calls.FullTextBody]):
    audited_as = "view_object_text"
    takes = calls.CpFullTextCallSerializer

    def check_permissions(self, request: Request) -> None:
        """Refuse users who may not read contents: a text cannot be masked."""
        super().check_permissions(request)
        if request.method == "POST" and not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
            self.permission_denied(request)

    @extend_schema(
        operation_id="cp_queue_object_full_text",
        description=(
            "std.GetCPObjectIdxFulltext: an object's text and what is known of it. Needs `view_payload`, and"
            " of a token with scopes `payload:read` as well. The audit has each answer as `view_object_text`."
        ),
        parameters=[IDEMPOTENCY],
        request=calls.CpFullTextCallSerializer,
        responses=describe_answers(200, gives.CpFullTextSerializer, READING_ONE),
    )
    def post(self, request: Request) -> Response:
        body = self.body(request)
        osid = body["ObjectID"]
        text = object_source().full_text(osid)
        info = object_source().object_info(osid) if body["Index"] else None
        if text is None or (body["Index"] and info is None):
            raise _unknown_object(osid)
        _record_view(actor_of(request), osid, text)
        found: _FullText = {
            "return_code": 0,
            "ObjectID": osid,
            "Text": text.text,
            "TooLarge": text.is_too_large,
        }
        if info is not None:
            found["Metadata"] = _to_facts(info, osid, can_read=True)
        return Response(found)


@describe_post(
    calls.CpRenditionChangedCallSerializer,
    {201: gives.CpRenditionChangedSerializer, 200: gives.CpRenditionChangedSerializer},
    ACTING,
    description=(
        "std.CPRenditionChanged: after a change of its text an object is indexed again, by a message in"
        " FULLTEXTDOC. 200: the change asks for nothing, and nothing was made."
    ),
)
class RenditionChangedView(QueueView[calls.RenditionChangedBody]):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "rendition_changed"

    def call(self, body: calls.RenditionChangedBody, actor: Actor) -> Answer:
        created = services.rendition_changed(
            object_id=body["ObjectID"],
            object_type=body["ObjectType"],
            change=RenditionChange(body["Reason"]),
        )
        return success(201 if created else 200, created=created)

    def made_at(self, request: Request, body: Mapping[str, object]) -> str:
        """Return the address of the object, which lists its messages."""
        return f"cp-queue/objects/{request.data['ObjectID']}/"

    def queues(self, body: calls.RenditionChangedBody, reach: frozenset[str]) -> tuple[str, ...]:
        return REINDEXED_AFTER[RenditionChange(body["Reason"])]


@describe_post(
    calls.CpPageCountCallSerializer,
    {200: gives.CpPageCountSerializer},
    ACTING,
    description=(
        "std.ProcessPageCountCPMessages: the server itself processes free messages of PAGECOUNT, the newest"
        " first. The message of an unknown object fails."
    ),
)
class ProcessPageCountView(QueueView[calls.PageCountBody]):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "process_page_count"

    def call(self, body: calls.PageCountBody, actor: Actor) -> Answer:
        counted = services.process_page_counts(count=body["Count"])
        return Answer(200, represent_value(gives.CpPageCountSerializer, {**SUCCESS, "counted": counted}))

    def queues(self, body: calls.PageCountBody, reach: frozenset[str]) -> list[str]:
        return [PAGE_COUNT_QUEUE]


def _unknown_object(osid: int) -> Problem:
    return not_found(f"No object has the id {osid}.")


class _ObjectInfo(TypedDict):
    """The members of CpObjectInfoSerializer."""

    return_code: int
    ObjectID: int
    ObjectType: NotRequired[int]
    PageCount: int
    ExternalReference: str
    SystemID: str
    MimeType: str
    MimeTypeGroup: str
    HasVolltextFile: bool
    Hash: NotRequired[str]
    Rights: NotRequired[str]


class _FullText(TypedDict):
    """The members of CpFullTextSerializer."""

    return_code: int
    ObjectID: int
    Text: str
    TooLarge: bool
    Metadata: NotRequired[_ObjectInfo]


def _to_facts(info: ObjectInfo, osid: int, *, can_read: bool) -> _ObjectInfo:
    """
    Return the facts about an object. Without permission no hash, with which a caller could test guesses of
    the content.
    """
    found: _ObjectInfo = {
        "return_code": 0,
        "ObjectID": osid,
        "PageCount": info.page_count,
        "ExternalReference": info.reference,
        "SystemID": info.system,
        "MimeType": info.mime_type,
        "MimeTypeGroup": info.mime_type.partition("/")[0],
        "HasVolltextFile": info.has_text,
    }
    if info.object_type is not None:
        found["ObjectType"] = info.object_type
    if can_read and info.sha256:
        found["Hash"] = info.sha256
    return found


def _record_view(actor: Actor, osid: int, text: FullText) -> None:
    details = {"osid": osid}
    if text.stored_message is not None:
        audit.record_entry(
            actor=actor,
            action="view_object_text",
            subject_kind="store_message",
            subject=text.stored_message,
            details=details,
        )
    else:
        audit.record_entry(actor=actor, action="view_object_text", msg_id=text.msg_id, details=details)
