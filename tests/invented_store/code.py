from collections.abc import Iterator, Sequence
from enum import StrEnum

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views import View

from messages_app.core.search_results import Hit, Kind
from messages_app.core.store_functions import StoreFunctions
from messages_app.erasure.run import Erasure

STATES = ("new", "old")


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("invented")


class CallView(View):
    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse("invented")


urlpatterns = [path("", page, name="invented")]
api_urlpatterns = [path("", CallView.as_view())]


def tile(snapshot: object) -> dict[str, object]:
    return {"waiting": 4711}


def look_up(text: str) -> Iterator[Kind]:
    if text == "invented-1":
        yield Kind(
            title="Invented id",
            name="invented",
            hits=[Hit(url="/invented/", name=text, about="of a test")],
        )


def erase_subject(erasure: Erasure) -> None:
    erasure.leave("invented", "thing", "it is only invented")


def _values(rows: Sequence[object]) -> list[str]:
    return [f"subject {row}" for row in rows]


def is_thing(text: str) -> bool:
    return text == "thing-1"


class Drawn(StrEnum):
    INVENTED = "INVENTED"


def rebuild_things(**_: object) -> str:
    return "12 invented things were missing."


def check() -> tuple[str, str] | None:
    return "the invented thing is broken", "Invent another one."


READERS = {"invented": _values}


FUNCTIONS = StoreFunctions(
    tiles={"invented": tile},
    rebuilds={"invented": rebuild_things},
    checks={"invented": check},
    name_checks={"thing": is_thing},
    drawn=[Drawn],
    look_up=look_up,
)
