"""A value means the same in a link, an address and a row: every link leads to the rows that it counts."""

import json
import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.core.cache import cache
from django.http import QueryDict
from django.utils import timezone
from lxml import html

from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.pickup import get_next
from messages_app.jobs.models import Job
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.listing.models import SavedView
from messages_app.messages.metrics.passes import fold_changes
from messages_app.shared.message_states import MessageState
from tests.support import queues, stores
from tests.support.counted_links import KINDS_OF_NAMES, ODD_NAMES, ids_at, leads_to, links_of, rows_at
from tests.support.factories import make_archived_message, make_funnel, make_message
from tests.support.histories import make_trigger, store_both, store_entry
from tests.support.page_client import client_of
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

# Each test has rows of all names, and each run asks for one name of each kind.
by_name = pytest.mark.parametrize(
    "name",
    quick_first(sorted(ODD_NAMES, key=lambda name: name not in KINDS_OF_NAMES), quick=len(KINDS_OF_NAMES)),
)
LIST, FUNNELS = "/messages/", "/funnels/"
# The columns of a message that its page links, each with the length of its texts.
COLUMNS = {
    "service_name": 30,
    "operation_name": 100,
    "source_system": 15,
    "correlation_id": 100,
    "process_id": 36,
    "object_id": 50,
    "failed_error_code": 5,
}


def values_of(name: str) -> dict[str, str]:
    return {column: name[:length] for column, length in COLUMNS.items()}


def make_odd_messages(make=make_message, **columns: object) -> dict[str, int]:
    """Store a message for each name, which it has in all columns; return their ids."""
    return {
        name: make(**{"state": "FAILED", "funnel_value": name} | values_of(name) | columns).pk
        for name in ODD_NAMES
    }


class TestMessage:
    @pytest.mark.parametrize(
        ("make", "names"),
        quick_first(
            [
                pytest.param(make_message, KINDS_OF_NAMES),
                pytest.param(make_archived_message, KINDS_OF_NAMES),
                pytest.param(make_message, ODD_NAMES),
                pytest.param(make_archived_message, ODD_NAMES),
            ],
            quick=2,
        ),
    )
    def test_links_each_of_its_values_to_the_messages_that_have_it(self, make, names):
        client, ids = client_of("support"), make_odd_messages(make)
        for name in names:
            msg_id = ids[name]
            links = [link for link in links_of(client, f"{LIST}{msg_id}/") if leads_to(link, LIST)]
            targets = {link.address: ids_at(client, link.address) for link in links}
            code = name[:5]
            sharing = [ids[other] for other in reversed(ODD_NAMES) if other[:5] == code]
            assert len(targets) == len(COLUMNS)
            for address, found in targets.items():
                assert found == (sharing if "failed_error_code" in address else [msg_id]), (name, address)

    def test_has_no_link_for_an_empty_value(self):
        client = client_of("support")
        message = make_message(service_name="", operation_name="", process_id="", state="FAILED")
        links = [link.address for link in links_of(client, f"{LIST}{message.pk}/") if leads_to(link, LIST)]
        assert not any("service_name" in address or "operation_name" in address for address in links)
        assert any("correlation_id" in address for address in links)

    def test_links_its_funnel_values_to_the_lane_of_exactly_this_value(self):
        client = client_of("support")
        ids = make_odd_messages(state=MessageState.POSTPONED, funnel_component_id="c ")
        for name, msg_id in ids.items():
            make_funnel(make_message(), funnel_value=name)
            links = [link for link in links_of(client, f"{LIST}{msg_id}/") if leads_to(link, FUNNELS)]
            assert len(links) == 2, name
            of_value = next(link for link in links if "value=" in link.address)
            page = client.get(of_value.address).content.decode()
            assert f'href="{LIST}{msg_id}/"' in page, name
            assert all(f'href="{LIST}{other}/"' not in page for other in ids.values() if other != msg_id), (
                name
            )


class TestMessageList:
    @by_name
    def test_means_the_same_in_the_line_the_address_and_all_parts(self, name):
        client, ids = client_of("support"), make_odd_messages()
        query = urlencode({"service_name": name})
        assert ids_at(client, f"{LIST}?{query}") == [ids[name]]
        line = 'service:"{}"'.format(name.replace("\\", "\\\\").replace('"', '\\"'))
        answer = client.get(LIST, {"q": line})
        assert ids_at(client, answer.url) == [ids[name]]
        context = client.get(f"{LIST}?{query}").context
        assert context["form"].values_of("service_name") == [name]
        assert ids_at(client, client.get(LIST, {"q": context["line"].text}).url) == [ids[name]]
        assert b"of exactly 1<" in client.get(f"{LIST}count/?{query}", headers={"HX-Request": "1"}).content
        rows = b"".join(client.get(f"{LIST}export/?format=jsonl&{query}").streaming_content).splitlines()
        assert [json.loads(row)["msg_id"] for row in rows] == [ids[name]]

    @pytest.mark.parametrize("make", [make_message, make_archived_message])
    def test_links_the_funnel_value_of_each_row(self, make):
        client, ids = client_of("support"), make_odd_messages(make)
        address = LIST if make is make_message else f"{LIST}?archived=true"
        links = [link for link in links_of(client, address) if "funnel_value=" in link.address]
        assert sorted(ids_at(client, link.address) for link in links) == sorted(
            [msg_id] for msg_id in ids.values()
        )

    @pytest.mark.parametrize("name", ["pad   ", "pad\t", "   ", "a,b"])
    def test_keeps_the_value_in_a_saved_view_and_in_the_neighbours(self, name):
        client, ids = client_of("support"), make_odd_messages()
        query = urlencode({"service_name": name})
        answer = client.post(f"{LIST}views/", {"name": "mine", "query": f"?{query}"})
        assert ids_at(client, answer.url) == [ids[name]]
        assert QueryDict(SavedView.objects.get().query).dict() == {"service_name": name}
        tabs = [link for link in links_of(client, LIST) if link.text.startswith("mine")]
        assert [ids_at(client, tab.address) for tab in tabs] == [[ids[name]]]
        neighbours = client.get(f"{LIST}{ids[name]}/?{query}").context["neighbours"]
        assert (neighbours.newer, neighbours.older) == (None, None)

    @pytest.mark.parametrize(
        "query", quick_first(["archived=any&", "service_name_not=pad&", "", "state=FAILED&"], quick=2)
    )
    def test_lists_as_many_messages_as_each_facet_says(self, query):
        client = client_of("support")
        make_odd_messages()
        make_odd_messages(make_archived_message, state="OK")
        make_message(state="OK", service_name="pad", failed_error_code=None)
        values, left_out = [], []
        for link in links_of(client, f"{LIST}facets/?{query}"):
            (left_out if link.text.startswith("Leave out") else values).append(link)
        numbers = [(link, found) for link in values if (found := re.search(r" (\d+)$", link.text))]
        assert len(numbers) > 30
        for link, found in numbers:
            # A value that is chosen, or left out, leads to the list without it; another is added to it.
            if not link.text.startswith(("FAILED", "Not pad")) and "state=FAILED," not in link.address:
                assert rows_at(client, f"{link.address}&page_size=100") == int(found[1]), link
        total = rows_at(client, f"{LIST}?{query}page_size=100")
        assert left_out
        for link in left_out[:12]:
            assert rows_at(client, f"{link.address}&page_size=100") < total, link

    def test_suggests_values_that_differ_only_in_blanks(self):
        client = client_of("support")
        make_odd_messages()
        options = html.fromstring(client.get(f"{LIST}suggest/", {"q": 'service:"pad'}).content)
        inserts = set(options.xpath("//li/@data-insert"))
        assert {'service:"pad   " ', "service:pad ", 'service:" pad" '} <= inserts


class TestJob:
    @pytest.mark.parametrize("name", ["pad   ", "pad", "a,b", "   ", "pad\u2029"])
    def test_takes_exactly_the_messages_of_the_list(self, name):
        client = client_of("operator")
        make_odd_messages()
        address = f"/jobs/new/?{urlencode({'kind': 'restart', 'service_name': name})}"
        [seal] = html.fromstring(client.get(address).content).xpath("//input[@name='shown']/@value")
        assert client.post("/jobs/new/", {"shown": seal, "typed": "1", "reason": "r"}).status_code == 302
        assert Job.objects.get().filter == {"service_name": name}


class TestCpQueue:
    def test_leads_from_each_number_to_as_many_rows(self):
        client = client_of("operator")
        for place, name in enumerate(ODD_NAMES):
            for copy in range(1 + place % 3):
                queues.store(f"{name}{copy}", queue=name, osid=place)
            queues.store(f"held {name}", queue=name, osid=100 + place, lock=f"W{name}")
        queues.store("retried", queue="pad   ", osid=200)
        dispatch_message(guid=get_next(queues=["pad   "], service="R").guid, service="R", reason="RETRY")
        for reason in ("OK", "broken"):
            queues.store(reason, queue=" pad", osid=300, lock="R")
            dispatch_message(guid=queues.guid_of(reason), service="R", reason=reason)
        pages = ["/cp-queue/", "/cp-queue/services/"]
        pages += [
            link.address for link in links_of(client, "/cp-queue/") if leads_to(link, "/cp-queue/queue/")
        ]
        assert len({page for page in pages if "queuename" in page}) >= len(ODD_NAMES)
        checked = 0
        for page in pages:
            for link in links_of(client, page):
                is_count = link.number is not None and "ordering=" not in link.address
                if is_count and (
                    leads_to(link, "/cp-queue/messages/") or leads_to(link, "/cp-queue/dispatches/")
                ):
                    assert rows_at(client, link.address) == link.number, (page, link)
                    checked += 1
        assert checked > 5 * len(ODD_NAMES)

    @by_name
    def test_shows_and_pauses_exactly_one_queue(self, name):
        client = client_of("operator")
        guids = {each: queues.store(each, queue=each) for each in ODD_NAMES}
        page = client.get("/cp-queue/queue/", {"queuename": name})
        assert page.context["next_pickup"].guid == guids[name]
        assert client.post("/cp-queue/queue/pause/", {"queuename": name, "reason": "r"}).status_code == 302
        paused = [
            link.address for link in links_of(client, "/cp-queue/") if leads_to(link, "/cp-queue/queue/")
        ]
        contexts = {address: client.get(address).context for address in set(paused)}
        assert [one["line"].counts.name for one in contexts.values() if one["pause"]] == [name]

    @pytest.mark.parametrize("name", ["W1 ", "W1\t", "   "])
    def test_resets_and_dispatches_exactly_what_a_service_holds(self, name):
        client = client_of("operator")
        mine, other = queues.store("mine", lock=name), queues.store("other", lock="W1")
        assert client.get("/cp-queue/services/dispatch/", {"service": name}).context["held"] == 1
        assert client.get("/cp-queue/reset/", {"service": name}).context["selected"] == 1
        client.post("/cp-queue/reset/", {"service": name, "reason": "r"})
        assert dict(CpMessage.objects.values_list("messageguid", "lock_service")) == {mine: None, other: "W1"}


class TestMessageStore:
    def test_leads_from_each_number_to_as_many_rows(self):
        client = client_of("operator")
        for place, name in enumerate(ODD_NAMES):
            for copy in range(1 + place % 3):
                stores.store([{"id": copy}], entity=name, system=name)
        links = [
            link
            for link in links_of(client, "/message-store/")
            if link.number is not None and "source_entity=" in link.address
        ]
        assert len({link.address for link in links if "source_entity" in link.address}) == len(ODD_NAMES)
        for link in links:
            assert rows_at(client, link.address) == link.number, link


class TestDocumentHistory:
    def test_leads_from_each_number_to_as_many_rows(self):
        client = client_of("operator")
        for place, trigger_id in enumerate(("%2F", "a,b", "\"q'<b>", "\U0001f4e6", "...")):
            make_trigger(trigger_id)
            for copy in range(1 + place % 3):
                store_both(trigger_id=trigger_id, uuid=f"u{copy}")
            store_entry("processing", trigger_id=trigger_id, uuid="open")
        pages = ["/document-history/"]
        pages += [
            link.address
            for link in links_of(client, "/document-history/")
            if link.address.startswith("/document-history/triggers/")
        ]
        assert len(set(pages)) == 6
        checked = 0
        for page in pages:
            for link in links_of(client, page):
                if link.number is not None and "trigger_id=" in link.address:
                    assert rows_at(client, link.address) == link.number, (page, link)
                    checked += 1
        assert checked >= 20

    def test_finds_documents_exactly(self):
        client = client_of("support")
        make_trigger("t-1")
        for name in ODD_NAMES:
            store_both(uuid=name)
        for name in ODD_NAMES:
            lines = client.get("/document-history/entries/", {"trigger_id": "t-1", "uuid": name}).context[
                "lines"
            ]
            assert [line.entry.document_uuid for line in lines] == [name]


class TestOverviewAndFailures:
    def test_lead_from_each_number_to_as_many_rows(self):
        cache.clear()
        client = client_of("operator")
        for again in ({}, {"correlation_id": "again"}):
            make_odd_messages(receive_timestamp=timezone.now(), entity_type="order ", **again)
        other_type = {"entity_type": "other", "receive_timestamp": timezone.now()}
        make_message(**values_of("pad   ") | {"correlation_id": "another"}, state="FAILED", **other_type)
        make_message(state="POSTPONED", last_process_timestamp=timezone.now() - timedelta(minutes=20))
        group_new_failures()
        fold_changes()
        tiles = re.compile(r"(?:Failing now|Waiting too long) (\d+)")
        counted = [(link, match) for link in links_of(client, "/") if (match := tiles.match(link.text))]
        assert len(counted) == 2
        for link, match in counted:
            assert len(ids_at(client, link.address)) == int(match[1]), link
        groups = [line.group.pk for line in client.get("/failures/").context["groups"].lines]
        assert groups
        assert all(group_page_is_exact(client, group_id) for group_id in groups)


def group_page_is_exact(client, group_id: int) -> bool:
    """Whether each object that a failure group's page counts leads to as many messages."""
    page = html.fromstring(client.get(f"/failures/{group_id}/").content)
    rows = page.xpath("//tr[.//a[contains(@href, 'object_id=')]]")
    numbers = [(row.xpath(".//a/@href")[0], int(row.xpath("td[2]")[0].text_content())) for row in rows]
    return bool(numbers) and all(len(ids_at(client, address)) == number for address, number in numbers)


class TestFunnels:
    def test_lead_to_the_messages_that_wait_in_the_lane(self):
        client = client_of("support")
        now = timezone.now()
        waiting = {"state": "POSTPONED", "receive_timestamp": now, "funnel_value": "pad   "}
        for component in ("c", "c "):
            make_message(
                **waiting | {"state": "PROCESSING"},
                funnel_component_id=component,
                start_process_timestamp=now,
            )
            for _ in range(3):
                make_message(**waiting, funnel_component_id=component)
        lane = f"{FUNNELS}?{urlencode({'value': 'pad   ', 'component': 'c '})}"
        [link] = [link for link in links_of(client, lane) if link.text == "View waiting messages"]
        assert len(ids_at(client, link.address)) == 3
