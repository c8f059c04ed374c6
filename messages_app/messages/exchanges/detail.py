"""One request or response with its text, live or archived, over REST. Source: spec/interfaces.md 10."""

from collections.abc import Mapping

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ApiView
from messages_app.audit import services as audit
from messages_app.contents.payloads import payload_view
from messages_app.contents.serializers import ContentSerializer
from messages_app.messages.exchanges import serializers
from messages_app.messages.exchanges.lists import REQUESTS, RESPONSES, RowList
from messages_app.messages.exchanges.queries import get_row
from messages_app.web.api_schema import READING_ONE, answers
from messages_app.web.filters.values import InvalidValue, Parameter, parse_id
from messages_app.web.ids import MAX_ID, read_id
from messages_app.web.problems import bad_field, not_found, shown

_MSG_ID = OpenApiParameter(
    "msg_id",
    {"type": "integer", "minimum": 0, "maximum": MAX_ID},
    description="The message that it belongs to. Needed to find it in a Parquet file of the archive.",
)


class _RowView(ApiView):
    """One row of a list, with its text as a payload is given."""

    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = frozenset({"msg_id"})
    rows: RowList
    kind: str
    text: str
    serializer: type[BaseSerializer]

    def answer(self, request: Request, text: str) -> Response:
        key = read_id(text)
        row = None if key is None else get_row(self.rows, key, msg_id=self._msg_id())
        if row is None:
            raise not_found(f"No {self.kind} has the id {shown(text)}.")
        masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
        view = payload_view(getattr(row, self.text), masked=masked)
        if not view.masked and view.content is not None:
            audit.record(actor=actor_of(request), action=f"view_{self.kind}", msg_id=row.msg_id)
        return Response(
            {**self.serializer(row).data, **ContentSerializer(view).data, **self.more(row, masked=masked)}
        )

    def more(self, row: object, *, masked: bool) -> Mapping[str, object]:
        """Return further members, for a reader who reads masked or in clear."""
        return {}

    def _msg_id(self) -> int | None:
        if "msg_id" not in self.values:
            return None
        try:
            return parse_id(self.values["msg_id"], Parameter("msg_id"))
        except InvalidValue as error:
            raise bad_field("msg_id", error.code, str(error)) from None


class RequestView(_RowView):
    rows, kind, text = REQUESTS, "request", "req_envelope"
    serializer = serializers.RequestSerializer

    @extend_schema(
        operation_id="requests_retrieve",
        parameters=[_MSG_ID],
        responses=answers(200, serializers.RequestDetailSerializer, READING_ONE),
    )
    def get(self, request: Request, req_id: str) -> Response:
        """
        Give one request with its text and whole address, or with values and credentials masked to others.

        In a session they are masked until its reader has said why, at `/reveal/`.
        """
        return self.answer(request, req_id)

    def more(self, row: object, *, masked: bool) -> Mapping[str, object]:
        return {} if masked else {"uri": row.uri}


class ResponseView(_RowView):
    rows, kind, text = RESPONSES, "response", "res_envelope"
    serializer = serializers.ResponseSerializer

    @extend_schema(
        operation_id="responses_retrieve",
        parameters=[_MSG_ID],
        responses=answers(200, serializers.ResponseDetailSerializer, READING_ONE),
    )
    def get(self, request: Request, res_id: str) -> Response:
        """
        Give one response with its text, or with its values masked to who may not read them.

        In a session they are masked until its reader has said why, at `/reveal/`.
        """
        return self.answer(request, res_id)

    def more(self, row: object, *, masked: bool) -> Mapping[str, object]:
        return {"failed_reason": row.failed_reason}
