"""Messages in the admin: their columns, filters, links and actions."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from messages_app.jobs.models import Job
from messages_app.messages.models import ArchiveMessage, Message
from tests.support.cold import old_message, to_parquet, with_traffic
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_messages,
    make_request,
    make_response,
)
from tests.support.staff import HUB, listed_keys, staff_client

pytestmark = pytest.mark.django_db
MESSAGES, ARCHIVE = f"{HUB}message/", f"{HUB}archivemessage/"


def page_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code)
    return html.unescape(response.content.decode())


def links_in(text: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', text)


def choose(client: Client, action: str, address: str = MESSAGES, *keys: int, **more: str) -> str:
    """Choose an action for rows of a list, and return where it leads."""
    form = {"action": action, "index": "0", "_selected_action": [str(key) for key in keys], **more}
    response = client.post(address, form)
    assert response.status_code == 302, response.status_code
    return response.url


class TestList:
    def test_filters_by_states_services_and_values(self):
        failed = make_message(state="FAILED", service_name="billing", failed_error_code="E103")
        other = make_message(state="FAILED", service_name="orders", source_system="ERP", process_id="p-1")
        make_message(state="OK", service_name="orders")
        client = staff_client("support")
        assert listed_keys(client, f"{MESSAGES}?state=FAILED") == [str(other.pk), str(failed.pk)]
        assert listed_keys(client, f"{MESSAGES}?state=FAILED&service_name=billing") == [str(failed.pk)]
        assert listed_keys(client, f"{MESSAGES}?failed_error_code=E103") == [str(failed.pk)]
        assert listed_keys(client, f"{MESSAGES}?source_system=ERP") == [str(other.pk)]
        assert listed_keys(client, f"{MESSAGES}?process_id=p-1") == [str(other.pk)]

    def test_offers_the_states_and_the_services_that_there_are(self):
        make_message(service_name="billing")
        make_message(service_name="orders")
        page = page_of(staff_client("support"), MESSAGES)
        for query in ("?state=FAILED", "?state=OK", "?service_name=billing", "?service_name=orders"):
            assert query in links_in(page)

    def test_finds_a_message_by_its_complete_id_or_correlation_id_only(self):
        message = make_message(correlation_id="corr-one")
        number = make_message(correlation_id=f"{message.pk}000")
        client = staff_client("support")
        assert listed_keys(client, f"{MESSAGES}?q={message.pk}") == [str(message.pk)]
        assert listed_keys(client, f"{MESSAGES}?q=corr-one") == [str(message.pk)]
        assert listed_keys(client, f"{MESSAGES}?q={message.pk}000") == [str(number.pk)]
        for text in ("corr", "corr-%25", "CORR-ONE", f"{message.pk}0"):
            assert listed_keys(client, f"{MESSAGES}?q={text}") == []

    def test_shows_no_payload_and_no_error_text(self):
        make_message(payload="a secret", failed_desc="an error text", envelope="an envelope")
        page = page_of(staff_client("admin", "view_payload"), MESSAGES)
        for text in ("a secret", "an error text", "an envelope"):
            assert text not in page

    def test_has_only_archived_messages_in_the_archives_list(self):
        live, archived = make_message(), make_archived_message()
        client = staff_client("support")
        assert listed_keys(client, MESSAGES) == [str(live.pk)]
        assert listed_keys(client, ARCHIVE) == [str(archived.pk)]


class TestPage:
    def test_shows_every_column_and_links_to_contents_instead_of_them(self):
        message = make_message(
            state="FAILED",
            failed_desc="E103: refused\n" + "x" * 10_000,
            business_error="too late",
            custom_data="<custom/>",
            process_id="p-77",
            payload="a secret",
            envelope="an envelope",
        )
        page = page_of(staff_client("support"), f"{MESSAGES}{message.pk}/change/")
        for field in Message._meta.fields:
            label = {"failed_desc": "failed desc"}.get(field.name, field.verbose_name)
            assert re.search(rf"{label}|parent", page, re.IGNORECASE), field.name
        for text in ("E103: refused", "too late", "<custom/>", "p-77", message.correlation_id):
            assert text in page
        assert "a secret" not in page
        assert "an envelope" not in page
        assert "x" * 6001 not in page
        links = links_in(page)
        assert f"/messages/{message.pk}/payload/" in links
        assert f"/messages/{message.pk}/envelope/" in links
        assert f"/messages/{message.pk}/" in links

    def test_links_to_the_parent_and_all_rows_of_the_message(self):
        parent = make_message()
        message = make_message(parent_msg_id=parent.pk)
        child = make_message(parent_msg_id=message.pk)
        call, funnel = make_external_call(message), make_funnel(message, funnel_value="hot")
        request = make_request(message)
        response, lone = make_response(request), make_response(None, msg_id=message.pk)
        other = make_external_call(make_message())
        links = links_in(page_of(staff_client("support"), f"{MESSAGES}{message.pk}/change/"))
        for table, row in {
            "message": parent,
            "externalcall": call,
            "request": request,
            "response": response,
            "funnel": funnel,
        }.items():
            assert f"{HUB}{table}/{row.pk}/change/" in links, table
        assert f"{HUB}message/{child.pk}/change/" in links
        assert f"{HUB}response/{lone.pk}/change/" in links
        assert f"{HUB}externalcall/{other.pk}/change/" not in links

    def test_shows_the_first_fifty_children_and_calls_with_a_link_to_all(self):
        parent = make_message()
        make_messages(51)
        Message.objects.exclude(pk=parent.pk).update(parent_msg_id=parent.pk)
        first, *_ = [make_external_call(parent).pk for _ in range(51)]
        client = staff_client("support")
        links = links_in(page_of(client, f"{MESSAGES}{parent.pk}/change/"))
        assert len([link for link in links if re.fullmatch(rf"{MESSAGES}\d+/change/", link)]) == 50
        shown = [link for link in links if re.fullmatch(rf"{HUB}externalcall/\d+/change/", link)]
        assert len(shown) == 50
        assert shown[0] == f"{HUB}externalcall/{first}/change/"
        children = f"{MESSAGES}?parent_msg_id={parent.pk}"
        assert children in links
        assert len(listed_keys(client, children)) == 50
        calls = f"{HUB}externalcall/?msg_id={parent.pk}"
        assert calls in links
        assert len(listed_keys(client, calls)) == 50

    def test_masks_addresses_of_calls_and_requests(self):
        message = make_message()
        make_external_call(message, operation_name="http://ada:geheim@crm.example/x?key=geheim")
        make_request(message, uri="http://ada:geheim@crm.example/x?key=geheim")
        page = page_of(staff_client("admin", "view_payload"), f"{MESSAGES}{message.pk}/change/")
        assert "crm.example" in page
        assert "geheim" not in page

    def test_escapes_values(self):
        message = make_message(correlation_id="<script>x</script>", failed_desc="<img src=x>")
        response = staff_client("support").get(f"{MESSAGES}{message.pk}/change/").content.decode()
        assert "<script>x" not in response
        assert "<img src=x>" not in response

    def test_leads_to_the_archive_and_back(self):
        archived, live = make_archived_message(), make_message()
        client = staff_client("support")
        assert client.get(f"{MESSAGES}{archived.pk}/change/").url == f"{ARCHIVE}{archived.pk}/change/"
        assert client.get(f"{ARCHIVE}{live.pk}/change/").url == f"{MESSAGES}{live.pk}/change/"

    @pytest.mark.slow
    @pytest.mark.django_db(transaction=True)
    @pytest.mark.usefixtures("spark_remote")
    def test_shows_a_message_of_a_parquet_file(self):
        message = with_traffic(old_message())
        to_parquet()
        assert not ArchiveMessage.objects.exists()
        client = staff_client("support")
        assert str(message.pk) in listed_keys(client, ARCHIVE)
        page = page_of(client, f"{ARCHIVE}{message.pk}/change/")
        assert message.correlation_id in page
        assert "direct:" in page or "http" in page


class TestActions:
    def test_lead_to_the_preview_of_a_job_on_the_selected_messages(self):
        first, second = make_message(state="FAILED"), make_message(state="FAILED")
        client = staff_client("admin")
        for action in ("restart", "cancel", "archive", "export"):
            url = choose(client, action, MESSAGES, first.pk, second.pk)
            assert url == f"/jobs/new/?kind={action}&msg_id={first.pk},{second.pk}"
            assert client.get(url).status_code == 200, action
        assert not Job.objects.exists()
        assert set(Message.objects.values_list("state", flat=True)) == {"FAILED"}

    def test_lead_to_the_preview_of_a_job_on_the_whole_filter(self):
        make_messages(60)
        Message.objects.update(state="FAILED")
        client = staff_client("operator")
        address = f"{MESSAGES}?state=FAILED&service_name=billing&receive_timestamp_from=-24h"
        row = Message.objects.first()
        url = choose(client, "restart", address, row.pk, select_across="1")
        query = parse_qs(urlsplit(url).query)
        assert query.pop("receive_timestamp_from")[0].endswith("Z")
        assert query == {"kind": ["restart"], "state": ["FAILED"], "service_name": ["billing"]}
        assert client.get(url).status_code == 200

    def test_take_the_filter_that_a_search_meant(self):
        message = make_message(correlation_id="corr-one", state="FAILED")
        client = staff_client("operator")
        address = f"{MESSAGES}?q=corr-one"
        url = choose(client, "restart", address, message.pk, select_across="1")
        assert url == "/jobs/new/?kind=restart&correlation_id=corr-one"
        url = choose(client, "restart", f"{MESSAGES}?q={message.pk}", message.pk, select_across="1")
        assert url == f"/jobs/new/?kind=restart&msg_id={message.pk}"

    def test_do_not_act_on_a_whole_table_except_to_archive(self):
        message = make_message(state="FAILED")
        client = staff_client("admin")
        for action in ("restart", "cancel", "export"):
            assert choose(client, action, MESSAGES, message.pk, select_across="1") == MESSAGES
            assert "Filter the list first" in page_of(client, MESSAGES)
        assert choose(client, "archive", MESSAGES, message.pk, select_across="1") == "/jobs/new/?kind=archive"

    def test_restore_and_export_archived_messages(self):
        archived = make_archived_message()
        client = staff_client("admin")
        for action in ("restore", "export"):
            url = choose(client, action, ARCHIVE, archived.pk)
            assert url == f"/jobs/new/?kind={action}&msg_id={archived.pk}&archived=true"
            assert client.get(url).status_code == 200, action

    @pytest.mark.parametrize(
        ("role", "offered"),
        [
            ("support", ["export"]),
            ("operator", ["restart", "cancel", "export"]),
            ("admin", ["restart", "cancel", "archive", "export"]),
        ],
    )
    def test_are_offered_to_the_roles_that_may_make_the_job(self, role, offered):
        message = make_message(state="FAILED")
        client = staff_client(role)
        page = page_of(client, MESSAGES)
        assert re.findall(r'<option value="(\w+)"', page) == offered
        for action in {"restart", "cancel", "archive"} - set(offered):
            assert choose(client, action, MESSAGES, message.pk) == MESSAGES
        assert not Job.objects.exists()

    @pytest.mark.parametrize("key", ["zzz", "1,2", "1.5", "9" * 40, "a\0b", ""])
    def test_refuse_invalid_keys(self, key):
        make_message(state="FAILED")
        form = {"action": "restart", "index": "0", "_selected_action": [key]}
        assert staff_client("operator").post(MESSAGES, form).status_code == 400

    def test_refuse_more_keys_than_a_page_has(self):
        make_message()
        form = {"action": "restart", "index": "0", "_selected_action": [str(key) for key in range(51)]}
        assert staff_client("operator").post(MESSAGES, form).status_code == 400

    def test_need_a_selection(self):
        make_message()
        client = staff_client("operator")
        assert choose(client, "restart") == MESSAGES
        assert "Items must be selected" in page_of(client, MESSAGES)


def test_received_filter_uses_the_newest_first():
    early = make_message(receive_timestamp=NOON)
    late = make_message(msg_id=early.pk - 1, receive_timestamp=NOON.replace(hour=13))
    client = staff_client("support")
    address = f"{MESSAGES}?receive_timestamp_from=2026-11-01T11:00:00Z"
    assert listed_keys(client, address) == [str(late.pk), str(early.pk)]
