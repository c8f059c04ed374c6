"""
The store's dashboard, groups of errors and missing records over REST. Source: spec/other-systems.md 2.9.
"""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.message_store import queries
from messages_app.message_store.api import report_serializers
from messages_app.web.api_schema import READING, answers

_MOST_GROUPS = 200


class SummaryView(ApiView):
    rights = {"GET": roles.CAN_VIEW_STORE}

    @extend_schema(responses=answers(200, report_serializers.SummarySerializer, READING))
    def get(self, request: Request) -> Response:
        """Give counts by system, entity and status, how old what waits is, and the monitor's settings."""
        found = {"counts": queries.counts(), "ages": queries.ages(), "monitor": queries.monitor()}
        return Response(report_serializers.SummarySerializer(found).data)


class ErrorGroupsView(ApiView):
    rights = {"GET": roles.CAN_VIEW_STORE}

    @extend_schema(responses=answers(200, report_serializers.ErrorGroupsSerializer, READING))
    def get(self, request: Request) -> Response:
        """Group the newest five thousand errors by what they say, the largest group first."""
        groups = queries.error_groups()[:_MOST_GROUPS]
        return Response(report_serializers.ErrorGroupsSerializer({"results": groups}).data)


class MissingView(ApiView):
    rights = {"GET": roles.CAN_VIEW_STORE}

    @extend_schema(responses=answers(200, report_serializers.MissingEntitiesSerializer, READING))
    def get(self, request: Request) -> Response:
        """List the entities whose records messages wait for."""
        return Response(
            report_serializers.MissingEntitiesSerializer({"results": queries.missing_entities()}).data
        )
