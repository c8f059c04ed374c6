import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from lxml import html

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup, FailureMember, FailureMinute
from messages_app.messages.metrics import failing
from messages_app.messages.metrics.failing import FailingNow
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.support.factories import make_message
from tests.support.page_client import client_of, notices_of, text_of
from tests.support.page_forms import send_form
from tests.support.page_tables import read_texts
from tests.support.page_undo import press_undo, read_undo_form

pytestmark = pytest.mark.django_db

NOT_UNDONE = "Not undone: the group has changed since then."


@pytest.fixture
def group() -> FailureGroup:
    make_message(
        state="FAILED",
        failed_error_code="E103",
        failed_desc="E103: order 7 timed out <b>",
        object_id="account-7",
        receive_timestamp=database_clock(),
    )
    group_new_failures()
    return FailureGroup.objects.get()


def shown_in(response: HttpResponse) -> list[str]:
    return [line.group.summary for line in response.context["groups"].lines]


class TestFailureList:
    def test_reports_that_nothing_failed(self):
        make_message(state="OK")
        fold_changes()
        text = text_of(client_of("support").get("/failures/"))
        assert "No message is failing now" in text
        assert "Nothing failed in the last 7 days" in text

    def test_offers_the_first_steps_while_there_is_no_message(self):
        text = text_of(client_of("support").get("/failures/"))
        assert "No messages yet" in text
        assert "Nothing failed" not in text
        assert "Filter" not in text

    def test_shows_groups(self, group):
        text = text_of(client_of("support").get("/failures/"))
        assert f'href="/failures/{group.pk}/"' in text
        assert "Order … timed out" in text
        assert "1 group not reviewed" in " ".join(text.split())
        client_of("operator", username="ben").post(
            f"/failures/{group.pk}/mark/", {"saying": "known", "reason": "x"}
        )
        assert client_of("support", username="cyd").get("/failures/").context["groups"].unreviewed == 0

    def test_quiet_groups_are_grey(self, group):
        client = client_of("support")

        def read_state() -> tuple[str, bool]:
            page = client.get("/failures/")
            (line,) = page.context["groups"].lines
            return read_texts(page, "Failure groups", "State")[0][0], line.is_urgent

        assert read_state() == ("new", True)
        FailureMinute.objects.update(minute=database_clock() - timedelta(hours=26))
        assert read_state() == ("quiet", False)

    def test_counts_the_failing_messages_that_are_in_no_group_yet(self, group):
        for _ in range(2):
            make_message(state="FAILED", failed_desc="refused")
        page = " ".join(text_of(client_of("support").get("/failures/")).split())
        assert re.search(r"data-failing-now ?>3</span> messages</a> failing now, 2 of them in no", page)

    def test_has_each_number_of_failures_below_its_time(self, group):
        now = database_clock().replace(second=0, microsecond=0)
        FailureMinute.objects.all().delete()
        for hours, failures in ((0.5, 2), (2, 3), (20, 6), (100, 13), (200, 50)):
            minute = now - timedelta(hours=hours)
            FailureMinute.objects.create(group_id=group.pk, minute=minute, failures=failures)
        page = client_of("support").get("/failures/")
        assert read_texts(page, "Failure groups", "1 h", "24 h", "7 d", "Failing now", "Service") == [
            ("2", "11", "24", "1", "billing createInvoice")
        ]

    def test_shows_the_groups_of_a_user_and_those_of_no_one(self, group):
        make_message(state="FAILED", failed_desc="refused")
        group_new_failures()
        FailureGroup.objects.filter(pk=group.pk).update(owner="bob", state="known")
        page = client_of("support", username="bob")
        assert shown_in(page.get("/failures/?show=mine")) == [group.summary]
        assert shown_in(page.get("/failures/?show=unowned")) == ["refused"]
        assert shown_in(page.get("/failures/?show=unreviewed")) == ["refused"]
        assert shown_in(page.get("/failures/?show=ended")) == []

    def test_shows_repaired_groups_only_if_they_are_wanted(self, group):
        Message.objects.update(state="OK")
        page = client_of("support")
        text = text_of(page.get("/failures/"))
        assert "No message of a group is failing" in text
        assert "1 group failed in the last 7 days" in text
        ended = page.get("/failures/?show=ended")
        assert read_texts(ended, "Failure groups", "Failing now", "State") == [("0", "none failing")]
        assert 'data-state="failed"' not in text_of(ended)
        assert "not reviewed</a>" not in text_of(ended)
        assert shown_in(page.get("/failures/?show=all")) == [group.summary]

    def test_keeps_the_filter_while_it_is_sorted(self, group):
        page = text_of(client_of("support").get("/failures/?service_name=billing&ordering=-day"))
        assert 'aria-sort="descending"><a href="?service_name=billing&amp;ordering=-day">24 h ↓</a>' in page
        assert "1 group, most failures in 24 h first" in page

    def test_offers_more_groups_than_a_page_has(self, group):
        make_message(state="FAILED", failed_desc="refused")
        group_new_failures()
        page = client_of("support").get("/failures/?page_size=1")
        assert len(shown_in(page)) == 1
        assert 'href="?page_size=200">Show more of the 2 groups' in text_of(page)

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            ("show=odd", "show must be one of open, mine, unowned, unreviewed, ended, all"),
            ("ordering=odd", "ordering must be one of urgency, -failing_now"),
            ("service_name=" + "x" * 101, "Can have at most 100 characters"),
            ("page_size=0", "page_size must be"),
            ("odd=1", "odd"),
        ],
    )
    def test_names_the_parameter_at_fault(self, query, words):
        response = client_of("support").get(f"/failures/?{query}")
        assert response.status_code == 400
        assert words in text_of(response)

    def test_requires_the_permission_to_view_messages(self):
        assert client_of().get("/failures/").status_code == 403


class TestFailurePage:
    def test_shows_the_error_and_advice(self, group):
        text = text_of(client_of("support").get(f"/failures/{group.pk}/"))
        assert "E103: order 7 timed out &lt;b&gt;" in text
        assert "Target system cannot be reached" in text
        assert f"state=FAILED&amp;failure_group={group.pk}" in text
        assert "account-7" in text
        assert 'name="saying"' not in text
        assert "/jobs/new/" not in text

    def test_links_to_a_bulk_restart_of_its_messages_only(self, group):
        make_message(state="FAILED", failed_error_code="E103", failed_desc="E103: order 7 timed out <b>")
        message = FailureMember.objects.get().msg_id
        client = client_of("operator")
        page = text_of(client.get(f"/failures/{group.pk}/"))
        query = f"kind=restart&amp;state=FAILED&amp;failure_group={group.pk}"
        assert f'href="/jobs/new/?{query}"' in page
        listed = text_of(client.get(f"/messages/?state=FAILED&failure_group={group.pk}"))
        assert re.findall(r'href="/messages/(\d+)/', listed)[:1] == [str(message)]
        asked = text_of(client.get("/jobs/new/?" + query.replace("&amp;", "&")))
        assert "Failure group" in asked

    def test_begins_the_restart_of_a_large_group_with_a_test_batch(self):
        operator = client_of("operator")
        for _ in range(20):
            make_message(state="FAILED", failed_desc="refused")
        group_new_failures()
        group = FailureGroup.objects.get(summary="refused")
        assert operator.get(f"/failures/{group.pk}/").context["test_batch"] == ""
        make_message(state="FAILED", failed_desc="refused")
        group_new_failures()
        page = text_of(operator.get(f"/failures/{group.pk}/"))
        assert f"failure_group={group.pk}&amp;canary=20" in page
        assert "Restart 21 failed messages…" in page

    def test_rejects_unknown_groups(self):
        assert client_of("support").get("/failures/1/").status_code == 404


def numbers_in(part: HttpResponse) -> dict[str, str]:
    """Return the numbers of failing messages of a part by the places that htmx puts them to."""
    spans = html.fragments_fromstring(text_of(part).strip())
    return {span.get("hx-swap-oob"): span.text for span in spans if "failing" in span.get("hx-swap-oob")}


class TestFailingPart:
    def test_answers_with_the_numbers_of_the_groups_that_are_shown(self, group):
        make_message(state="FAILED", failed_desc="refused")
        client, address = client_of("support"), f"/failures/now/?total=1&group={group.pk}"
        of_all, of_group = "innerHTML:[data-failing-now]", f'innerHTML:[data-failing-group="{group.pk}"]'
        assert numbers_in(client.get(address)) == {of_all: "2", of_group: "1"}
        assert numbers_in(client.get(f"/failures/now/?group={group.pk}")) == {of_group: "1"}
        kind = (group.service_name, group.operation_name, group.failed_error_code)
        FailureGroup.objects.update(failures=1_234)
        many = FailingNow(count=30_000, is_by_group=False, kinds={kind: 4_000})
        cache.set(failing._cache_key(), many, 60)
        try:
            numbers = numbers_in(client.get(address))
        finally:
            cache.delete(failing._cache_key())
        assert numbers == {of_all: "30\u202f000", of_group: "about 1\u202f200"}


class TestRepairedGroup:
    @pytest.fixture(autouse=True)
    def repaired(self, group):
        Message.objects.update(state="OK")

    def test_offers_to_close_it_instead_of_a_restart(self, group):
        page = text_of(client_of("operator").get(f"/failures/{group.pk}/"))
        assert "Repaired: no failed messages left" in page
        assert 'data-state="failed"' not in page
        assert "/jobs/new/" not in page
        assert "object_id=account-7" not in page
        assert (
            re.findall('<button class="c-button-main"[^>]*>.*?</svg>(.*?)</button>', page)[0] == "Close group"
        )
        assert f'hx-get="/jobs/of-failure-group/{group.pk}/"' in page

    def test_is_closed_as_fixed(self, group):
        client = client_of("operator")
        page = text_of(client.get(f"/failures/{group.pk}/"))
        [form] = re.findall(r'<form class="c-group-close".*?</form>', page, re.DOTALL)
        values = dict(re.findall(r'name="(saying|reason)" value="([^"]*)"', form))
        assert client.post(f"/failures/{group.pk}/mark/", values).status_code == 302
        group.refresh_from_db()
        assert group.state == "fixed"
        assert "c-group-close" not in text_of(client.get(f"/failures/{group.pk}/"))

    def test_is_not_closed_without_permission(self, group):
        page = text_of(client_of("support").get(f"/failures/{group.pk}/"))
        assert "Repaired: no failed messages left" in page
        assert "c-group-close" not in page

    def test_is_not_repaired_while_a_message_has_another_attempt(self, group):
        Message.objects.update(state="PARTLY_FAILED")
        response = client_of("operator").get(f"/failures/{group.pk}/")
        assert (response.context["is_repaired"], response.context["may_close"]) == (False, False)
        page = text_of(response)
        assert "In progress: no messages are FAILED" in page
        assert "c-group-close" not in page
        assert "/jobs/new/" not in page


class TestMark:
    def test_marks_the_group_as_fixed(self, group):
        form = {"saying": "fixed", "reason": "new release"}
        response = client_of("operator").post(f"/failures/{group.pk}/mark/", form)
        assert response.url == f"/failures/{group.pk}/"
        assert notices_of(response) == ["Group marked as fixed."]
        group.refresh_from_db()
        assert (group.state, group.snoozed_until) == ("fixed", None)
        assert AuditEntry.objects.values("action", "actor", "subject", "reason", "after_state").get() == {
            "action": "mark_group",
            "actor": "ada",
            "subject": str(group.pk),
            "reason": "new release",
            "after_state": "fixed",
        }

    @pytest.mark.parametrize(
        ("saying", "hours"), [("snooze-1", 1), ("snooze-8", 8), ("snooze-24", 24), ("snooze-168", 168)]
    )
    def test_snoozes_the_group(self, group, saying, hours):
        form = {"saying": saying, "reason": "maintenance"}
        client_of("operator").post(f"/failures/{group.pk}/mark/", form)
        group.refresh_from_db()
        assert group.state == "snoozed"
        assert round((group.snoozed_until - database_clock()) / timedelta(hours=1), 1) == hours

    def test_requires_a_reason(self, group):
        response = client_of("operator").post(f"/failures/{group.pk}/mark/", {"saying": "fixed"})
        assert response.status_code == 400
        assert "Enter a reason" in text_of(response)

    def test_rejects_a_change_after_one_by_another_user(self, group):
        client, form = client_of("operator"), {"saying": "known", "reason": "x"}
        client.post(f"/failures/{group.pk}/mark/", form)
        assert client.post(f"/failures/{group.pk}/mark/", form).status_code == 409

    def test_rejects_users_without_permission_and_records_it(self, group):
        form = {"saying": "fixed", "reason": "x"}
        assert client_of("support").post(f"/failures/{group.pk}/mark/", form).status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"


class TestUndoMark:
    """Of the status of a group."""

    @staticmethod
    def mark(client, group, saying: str):
        form = {"saying": saying, "reason": "x"}
        return client.post(f"/failures/{group.pk}/mark/", form, follow=True)

    @pytest.mark.parametrize("saying", ["fixed", "known", "snooze-8"])
    @pytest.mark.parametrize("former", ["new", "regressed", "snoozed", "fixed"])
    def test_restores_the_former_status_once_and_is_audited(self, group, former, saying):
        if saying == former:
            return
        now = database_clock()
        until = now + timedelta(hours=3) if former == "snoozed" else None
        before = {"state": former, "state_at": now - timedelta(days=1), "snoozed_until": until}
        FailureGroup.objects.update(**before, last_seen=now - timedelta(days=2))
        client = client_of("operator")
        page = self.mark(client, group, saying)
        marked = FailureGroup.objects.get().state
        assert marked != former or saying == "snooze-8"
        response = press_undo(client, page)
        assert (response.url, notices_of(response)[-1]) == (f"/failures/{group.pk}/", "Undone.")
        assert FailureGroup.objects.values(*before).get() == before
        entry = AuditEntry.objects.latest("pk")
        assert (entry.action, entry.reason, entry.before_state, entry.after_state) == (
            "mark_group",
            "Undone.",
            marked,
            former,
        )
        assert notices_of(press_undo(client, page))[-1] == NOT_UNDONE
        assert AuditEntry.objects.latest("pk") == entry

    def test_leaves_a_status_that_someone_else_has_given_meanwhile(self, group):
        client, eve = client_of("operator"), client_of("operator", username="eve")
        page = self.mark(client, group, "fixed")
        self.mark(eve, group, "known")
        self.mark(eve, group, "fixed")
        assert notices_of(press_undo(client, page))[-1] == NOT_UNDONE
        assert FailureGroup.objects.get().state == "fixed"

    def test_does_not_call_a_group_fixed_that_has_failed_since(self, group):
        client = client_of("operator")
        self.mark(client, group, "fixed")
        page = self.mark(client, group, "known")
        FailureGroup.objects.update(last_seen=database_clock())
        assert notices_of(press_undo(client, page))[-1] == NOT_UNDONE
        assert FailureGroup.objects.get().state == "known"

    def test_needs_the_permission_and_an_existing_group(self, group):
        client = client_of("operator")
        address, fields = read_undo_form(self.mark(client, group, "fixed"))
        assert client_of("support", username="sue").post(address, fields).status_code == 403
        FailureMember.objects.all().delete()
        FailureGroup.objects.all().delete()
        assert client.post(address, fields).status_code == 404


class TestDescribe:
    def test_keeps_owner_ticket_and_note(self, group):
        form = {"owner": "ada", "ticket": "OPS-7", "note": "Ask the bank."}
        address = f"/failures/{group.pk}/"
        response = send_form(client_of("operator"), address, form, to=f"{address}describe/")
        assert notices_of(response) == ["Owner, ticket and note saved."]
        page = client_of("support", username="bob").get(f"/failures/{group.pk}/")
        assert "Ask the bank." in text_of(page)
        assert {name: page.context["describe_form"].initial[name] for name in form} == form
        assert (page.context["may_change"], page.context["may_view_jobs"]) == (False, True)
        assert page.context["mark_form"].initial == {}


class TestAuditLog:
    def test_links_to_the_group(self, group):
        client = client_of("operator")
        client.post(f"/failures/{group.pk}/mark/", {"saying": "known", "reason": "x"})
        assert f'href="/failures/{group.pk}/"' in text_of(client.get("/audit/"))
