"""The search of every page over REST."""

from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.reads import Read
from messages_app.core.problems import bad_field
from messages_app.finding.search_sources import MAX_TEXT, is_searchable, search_everything


class ResultSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField(
        help_text=(
            "The column of a whole id or of the beginning of one, or `cp_message`, `store_message`,"
            " `document`, `document_in_doubt`, `key`, `incident`, `failure_group`, `page`, `new_job`, `view`,"
            " `job`, `user`, `documentation`."
        )
    )
    id = serializers.CharField(help_text="The id, or the title of a page or chapter.")
    title = serializers.CharField(allow_blank=True, help_text="A short description.")
    url = serializers.CharField(allow_blank=True, help_text="The path of its page; may be empty.")


class SearchSerializer(serializers.Serializer[Any]):
    results = ResultSerializer(many=True)


@dataclass(frozen=True, kw_only=True)
class _Result:
    kind: str
    id: str
    title: str
    url: str


def search_for(request: Request) -> dict[str, list[_Result]]:
    """
    Return the results for `q` as the search of the pages shows them.

    Raises:
        Problem: 400, q is missing or too long.
    """
    text = request.query_params.get("q", "")
    if not text:
        raise bad_field("q", "required", "q is required.")
    if not is_searchable(text):
        raise bad_field("q", "too_long", f"q must have at most {MAX_TEXT} characters.")
    kinds = search_everything(text, user_of(request)).kinds
    results = [
        _Result(kind=kind.name, id=hit.name, title=hit.about, url=hit.url)
        for kind in kinds
        for hit in kind.hits
    ]
    return {"results": results}


CALLS = [
    Read(
        "search/",
        search_for,
        right=roles.CAN_VIEW_MESSAGES,
        answer=SearchSerializer,
        parameters=[OpenApiParameter("q", str, required=True, description="An id, a word or a number.")],
        query=frozenset({"q"}),
        operation_id="search_retrieve",
        description=(
            "Find whole ids of every store, beginnings of ids, errors with a text, services and other values,"
            " pages, jobs, users and chapters of the manual, a few of each kind. Only what the caller may see"
            " is searched."
        ),
    ),
]
