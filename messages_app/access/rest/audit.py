"""The audit over REST: who did what, when, why, and what was refused. Source: spec/interfaces.md 10."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.audit import queries
from messages_app.audit.filters import ENTRIES
from messages_app.audit.models import AuditEntry
from messages_app.web import paging
from messages_app.web.api_schema import READING, answers, page_of, paging_parameters
from messages_app.web.codes import CodeField
from messages_app.web.filters.schema import parameters as parameters_of
from messages_app.web.filters.table import read
from messages_app.web.problems import bad_input

_PAGING = frozenset({"cursor", "page_size"})


class AuditEntrySerializer(serializers.ModelSerializer):
    outcome = CodeField("AuditOutcome", AuditEntry.Outcome.values, read_only=True)
    details = serializers.DictField(read_only=True, help_text="What else is known of it, by its action.")

    class Meta:
        model = AuditEntry
        fields = (
            "entry_id",
            "at",
            "actor",
            "token_name",
            "address",
            "request_id",
            "action",
            "outcome",
            "msg_id",
            "job_id",
            "subject_kind",
            "subject",
            "before_state",
            "after_state",
            "reason",
            "details",
        )
        read_only_fields = fields


class AuditListView(ApiView):
    rights = {"GET": roles.CAN_VIEW_AUDIT}
    parameters = None

    @extend_schema(
        operation_id="audit_list",
        parameters=[*parameters_of(ENTRIES), *paging_parameters()],
        responses=answers(200, page_of(AuditEntrySerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """
        List entries, newest first.

        A page may hold fewer than `page_size`, or none, and still have a `next`: only `msg_id` and `job_id`
        have an index, anything else is looked for some way a request.
        """
        values, errors = read(ENTRIES, request.query_params, besides=_PAGING)
        if errors:
            raise bad_input(errors)
        how = paging.arguments(request.query_params)
        page = queries.entry_page(values=values, cursor=how["cursor"], page_size=how["page_size"])
        rows = AuditEntrySerializer(page.rows, many=True).data
        return Response({**paging.page_links(request._request, page), "results": rows})
