"""Every kind of id with its whole results, live and archived, whose values all differ."""

import pytest

from messages_app.core.search_results import Hit
from messages_app.messages.id_lookup import MAX_HITS, calls_of_entity, look_up
from messages_app.messages.models import ArchiveExternalCall, ArchiveRequest, ArchiveResponse
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
    make_response,
)

pytestmark = pytest.mark.django_db

NAMES = {"process_id": "p-1", "object_id": "o-1", "service_name": "shop", "operation_name": "sell"}
TIMES = dict.fromkeys(("msg_timestamp", "creation_timestamp", "last_update_timestamp"), NOON)


@pytest.fixture
def stored() -> None:
    """A live and an archived row of each table, with ids of their own."""
    live = make_message(msg_id=8001, correlation_id="c-1", state="FAILED", **NAMES)
    make_archived_message(msg_id=8002, correlation_id="c-2", state="CANCEL", **NAMES)
    make_external_call(live, entity_id="e-1", operation_name="direct:live", state="FAILED_END")
    ArchiveExternalCall.objects.create(
        call_id=8004, msg_id=8002, operation_name="direct:old", state="OK", entity_id="e-1", **TIMES
    )
    make_request(live, uri="http://live.example/a")
    ArchiveRequest.objects.create(
        req_id=8006,
        msg_id=8002,
        res_join_id="j",
        uri="http://old.example/b",
        req_envelope="",
        req_timestamp=NOON,
    )
    ArchiveResponse.objects.create(
        res_id=8008, msg_id=8002, res_envelope="", res_timestamp=NOON, failed=False
    )


def hits_of(text: object) -> dict[str, list[Hit]]:
    return {kind.title: kind.hits for kind in look_up(str(text))}


def live(name: object, about: str) -> Hit:
    return Hit(url="/messages/8001/", name=str(name), about=about, state="FAILED", archived=False)


def archived(name: object, about: str, state: str = "CANCEL") -> Hit:
    return Hit(url="/messages/8002/", name=str(name), about=about, state=state, archived=True)


@pytest.mark.usefixtures("stored")
class TestHits:
    def test_of_messages(self):
        assert hits_of(8001) == {"Message id": [live(8001, "shop · sell · c-1")]}
        assert hits_of(8002) == {"Message id": [archived(8002, "shop · sell · c-2")]}
        assert hits_of("c-1") == {"Correlation id": [live("c-1", "shop · sell · 8001")]}
        assert hits_of("c-2") == {"Correlation id": [archived("c-2", "shop · sell · 8002")]}
        for title, name in (("Process id", "p-1"), ("Object id", "o-1")):
            both = [live(name, "shop · sell · 8001"), archived(name, "shop · sell · 8002")]
            assert hits_of(name) == {title: both}

    def test_of_external_calls(self):
        of_live = Hit(
            url="/messages/8001/",
            name="e-1",
            about="direct:live · message 8001",
            state="FAILED_END",
            archived=False,
        )
        of_archive = archived("e-1", "direct:old · message 8002", "OK")
        assert hits_of("e-1") == {"Entity id of an external call": [of_live, of_archive]}
        assert hits_of(8004) == {"External call id": [archived(8004, "direct:old · message 8002", "OK")]}

    def test_of_requests_and_responses(self):
        asked = archived(8006, "http://old.example/b · message 8002", "")
        assert hits_of(8006) == {"Request id": [asked]}
        assert hits_of(8008) == {"Response id": [archived(8008, "message 8002", "")]}
        request = make_request(None, uri="http://none.example/c")
        response = make_response(request)
        alone = {"url": "", "state": "", "archived": False}
        assert hits_of(request.pk) == {
            "Request id": [
                Hit(name=str(request.pk), about="http://none.example/c · without a message", **alone)
            ]
        }
        assert hits_of(response.pk) == {
            "Response id": [Hit(name=str(response.pk), about="without a message", **alone)]
        }


class TestKinds:
    def kinds_of(self, text: str) -> list[tuple[str, int, bool, str]]:
        return [(kind.title, len(kind.hits), kind.more, kind.list_url) for kind in look_up(text)]

    @pytest.mark.parametrize(
        ("count", "more"), [(MAX_HITS - 1, False), (MAX_HITS, False), (MAX_HITS + 1, True)]
    )
    def test_show_five_rows_and_whether_there_are_more(self, count, more):
        for number in range(count):
            make_message(correlation_id="same", source_system=f"S{number}")
            make_external_call(make_message(), entity_id="same", operation_name=f"direct:{number}")
        shown = min(count, 5)
        assert self.kinds_of("same") == [
            ("Correlation id", shown, more, "/messages/?correlation_id=same"),
            ("Entity id of an external call", shown, more, ""),
        ]

    def test_show_live_rows_before_archived_ones(self):
        for number in range(3):
            make_archived_message(correlation_id="same", source_system=f"S{number}")
            make_message(correlation_id="same", source_system=f"S{number}")
        (kind,) = look_up("same")
        assert [hit.archived for hit in kind.hits] == [False, False, False, True, True]
        assert kind.more
        assert kind.list_url == "/messages/?correlation_id=same&archived=any"

    def test_find_an_id_of_the_length_of_its_column(self):
        make_message(correlation_id="c" * 100)
        assert self.kinds_of("c" * 100) == [
            ("Correlation id", 1, False, f"/messages/?correlation_id={'c' * 100}")
        ]
        assert self.kinds_of("c" * 101) == []

    @pytest.mark.usefixtures("stored")
    def test_have_a_list_only_of_columns_that_it_filters(self):
        lists = {
            8001: "",
            "c-1": "/messages/?correlation_id=c-1",
            "p-1": "/messages/?process_id=p-1&archived=any",
            "o-1": "/messages/?object_id=o-1&archived=any",
            "e-1": "",
            8004: "",
            8006: "",
            8008: "",
        }
        assert {text: kind.list_url for text in lists for kind in look_up(str(text))} == lists


def test_calls_of_an_entity_are_the_newest_of_all_operations():
    calls = [
        make_external_call(
            make_message(), entity_id="e", operation_name=f"direct:{number % 3}", msg_timestamp=NOON
        )
        for number in range(3)
    ]
    make_external_call(make_message(), entity_id="other", operation_name="direct:0")
    ids = sorted((call.pk for call in calls), reverse=True)
    assert calls_of_entity("e", limit=2) == ids[:2]
    assert calls_of_entity("e", limit=3) == ids
    assert calls_of_entity("none", limit=3) == []
