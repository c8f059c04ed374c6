"""
What a service asks and reports about the object of a message that it has picked up.

Source: docs/spec/cp_queue.md, "Operations"; docs/spec/interfaces.md, "Further calls".
"""

from collections.abc import Mapping

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView
from messages_app.access.idempotency import HEADER, Answer, check_key
from messages_app.audit import services as audit
from messages_app.core.api_schema import ACTING, IDEMPOTENCY, READING_ONE, answers
from messages_app.core.problems import Problem, not_found
from messages_app.cp_queue import registration, selectors, services
from messages_app.cp_queue.api import object_serializers as serializers
from messages_app.cp_queue.api.problems import SUCCESS, QueueView, as_problems, body_of, described
from messages_app.cp_queue.objects import FullText, ObjectInfo, object_source
from messages_app.cp_queue.states import PAGE_COUNT_QUEUE, REINDEXED_AFTER, RenditionChange


class _ObjectView(ActingView):
    """
    A POST that reads an object: its answer is not kept for an Idempotency-Key, as contents never are.

    A token for some queues sees the objects that have messages in these.
    """

    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    takes: type[BaseSerializer]

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        if HEADER in request.headers:
            check_key(request.headers[HEADER])

    def touched(self, request: Request, reach: frozenset[str]) -> list[str | None]:
        body = body_of(self.takes, request)
        return [*selectors.queues_of_object(body["ObjectID"], within=reach)] or [None]


class ObjectInfoView(_ObjectView):
    audited_as = "view_object_info"
    takes = serializers.CpObjectInfoCallSerializer

    @extend_schema(
        operation_id="cp_queue_object_info",
        description="std.GetCPObjectInfo: what is known of an object. 404: nothing is.",
        parameters=[IDEMPOTENCY],
        request=serializers.CpObjectInfoCallSerializer,
        responses=answers(200, serializers.CpObjectInfoSerializer, READING_ONE),
    )
    def post(self, request: Request) -> Response:
        body = body_of(self.takes, request)
        info = object_source().object_info(body["ObjectID"])
        if info is None:
            raise _unknown(body)
        can_read = request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
        told = SUCCESS | _told(info, body, can_read=can_read)
        if "Rights" in body:
            told["Rights"] = "R" if can_read and "R" in body["Rights"] else ""
        return Response(told)


class FullTextView(_ObjectView):
    audited_as = "view_object_text"
    takes = serializers.CpFullTextCallSerializer

    def check_permissions(self, request: Request) -> None:
        """Refuse who may not read contents: a text without its values is not one."""
        super().check_permissions(request)
        if not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
            self.permission_denied(request)

    @extend_schema(
        operation_id="cp_queue_object_full_text",
        description=(
            "std.GetCPObjectIdxFulltext: an object's text and what is known of it. Needs `view_payload`, and"
            " of a token with scopes `payload:read` as well. The audit has each answer as `view_object_text`."
        ),
        parameters=[IDEMPOTENCY],
        request=serializers.CpFullTextCallSerializer,
        responses=answers(200, serializers.CpFullTextSerializer, READING_ONE),
    )
    def post(self, request: Request) -> Response:
        body = body_of(self.takes, request)
        found = object_source().full_text(body["ObjectID"])
        info = object_source().object_info(body["ObjectID"]) if body["Index"] else None
        if found is None or (body["Index"] and info is None):
            raise _unknown(body)
        _record_view(request, body["ObjectID"], found)
        told = {"ObjectID": body["ObjectID"], "Text": found.text, "TooLarge": found.is_too_large}
        if info is not None:
            told["Metadata"] = SUCCESS | _told(info, body, can_read=True)
        return Response(SUCCESS | told)


@described(
    serializers.CpRenditionChangedCallSerializer,
    {
        201: serializers.CpRenditionChangedSerializer,
        200: serializers.CpRenditionChangedSerializer,
    },
    ACTING,
    description=(
        "std.CPRenditionChanged: after a change of its text an object is indexed again, by a message in"
        " FULLTEXTDOC. 200: the change asks for nothing, and nothing was made."
    ),
)
class RenditionChangedView(QueueView):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "rendition_changed"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            created = services.rendition_changed(
                object_id=body["ObjectID"],
                object_type=body["ObjectType"],
                change=RenditionChange(body["Reason"]),
            )
        return Answer(201 if created else 200, SUCCESS | {"created": created})

    def made_at(self, request: Request, body: Mapping[str, object]) -> str:
        """Name the object, with which the messages are listed."""
        return f"cp-queue/objects/{request.data['ObjectID']}/"

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> tuple[str, ...]:
        return REINDEXED_AFTER[RenditionChange(body["Reason"])]


@described(
    serializers.CpPageCountCallSerializer,
    {200: serializers.CpPageCountSerializer},
    ACTING,
    description=(
        "std.ProcessPageCountCPMessages: the server itself works off free messages of PAGECOUNT, the newest"
        " first. The message of an unknown object fails."
    ),
)
class ProcessPageCountView(QueueView):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "process_page_count"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        counted = services.process_page_counts(count=body["Count"])
        return Answer(200, serializers.CpPageCountSerializer(SUCCESS | {"counted": counted}).data)

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> list[str]:
        return [PAGE_COUNT_QUEUE]


def _unknown(body: Mapping[str, object]) -> Problem:
    return not_found(f"No object has the id {body['ObjectID']}.")


def _told(info: ObjectInfo, body: Mapping[str, object], *, can_read: bool) -> dict[str, object]:
    told = {
        "ObjectID": body["ObjectID"],
        "PageCount": info.page_count,
        "ExternalReference": info.reference,
        "SystemID": info.system,
        "MimeType": info.mime_type,
        "MimeTypeGroup": info.mime_type.partition("/")[0],
        "HasVolltextFile": info.has_text,
    }
    if info.object_type is not None:
        told["ObjectType"] = info.object_type
    # Who may not read a content could try out which one has a hash.
    if can_read and info.sha256:
        told["Hash"] = info.sha256
    return told


def _record_view(request: Request, osid: int, found: FullText) -> None:
    about = {"msg_id": found.msg_id} if found.msg_id is not None else {}
    if found.stored_message is not None:
        about = {"subject_kind": "store_message", "subject": found.stored_message}
    audit.record(actor=actor_of(request), action="view_object_text", details={"osid": osid}, **about)
