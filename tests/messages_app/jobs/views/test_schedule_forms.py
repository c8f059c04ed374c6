from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.core.problems import FieldError
from messages_app.jobs.models import JobSchedule
from messages_app.jobs.schedules.forms import ScheduleForm
from messages_app.messages.listing.models import SavedView
from tests.messages_app.jobs.views.posted_schedules import ARCHIVE, post_schedule
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of, text_of
from tests.support.page_forms import send_form

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Client:
    return client_of("admin")


class TestNewSchedule:
    @pytest.mark.parametrize("kind", ["archive", "restore", "restart", "cancel", "export"])
    def test_asks_for_the_options_of_the_kind(self, admin, kind):
        text = text_of(admin.get(f"/schedules/new/?kind={kind}"))
        assert ('name="older_than_months"' in text) == (kind == "archive")
        assert ('name="canary"' in text) == (kind in {"restart", "cancel"})
        assert ('type="checkbox" name="total"' in text) == (kind == "restart")
        assert ('name="format"' in text) == (kind == "export")

    def test_names_each_kind_separately(self, admin):
        text = text_of(admin.get("/schedules/new/?kind=archive_history"))
        assert '<option value="archive_history" selected>Archive old attempts</option>' in text
        assert '<option value="group_failures">Group failures</option>' in text

    def test_keeps_the_schedule(self, admin):
        response = post_schedule(
            admin, "restart", line="state:FAILED,CANCEL", stop_at_failure_rate="20", total="on"
        )
        assert (response.status_code, response.headers["Location"]) == (302, "/schedules/")
        schedule = JobSchedule.objects.get()
        assert (schedule.kind, schedule.filter) == ("restart", {"state": "FAILED,CANCEL"})
        assert schedule.options == {"stop_at_failure_rate": 0.2, "total": True, "also_resent": False}

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"cron": "61 * * * *"}, "minute: "),
            ({"cron": "* * * * *"}, "at most every 5 minutes"),
            ({"cron": "0 0 30 2 *"}, "would never run"),
            ({"cron": ""}, "Enter the times."),
            ({"zone": "Mars/Base"}, "Unknown time zone"),
            ({"line": "state:GONE"}, "GONE"),
            ({"line": "state:NEW"}, "Only final messages"),
            ({"line": "received:<-7y"}, "-7y"),
            ({"line": "stat:OK"}, "Did you mean"),
            ({"line": "billing"}, "Write a filter, such as state:FAILED."),
            ({"line": "a\0:b"}, "Null characters"),
            ({"view": "tab:Gone"}, "tab:Gone"),
            ({"every": "year"}, "year"),
            ({"every": "day", "at": ""}, "Enter a time, such as 02:30."),
            ({"every": "day", "at": "25:00"}, "valid time"),
            ({"every": "hour", "minute": "60"}, "less than or equal to 59"),
            ({"every": "month", "at": "02:30", "day": "32"}, "less than or equal to 31"),
            ({"every": "week", "at": "02:30", "weekday": "7"}, "7"),
            ({"older_than_months": "0"}, "1 to 1200"),
            ({"older_than_months": "two"}, "whole number"),
            ({"to": "attic"}, "attic"),
            ({"reason": " "}, "Enter a reason"),
        ],
    )
    def test_shows_errors_next_to_the_field(self, admin, changes, said):
        response = post_schedule(admin, **changes)
        assert response.status_code == 400
        assert said in text_of(response)
        assert not JobSchedule.objects.exists()

    @pytest.mark.parametrize("role", ["support", "operator"])
    def test_is_for_administrators(self, role):
        client = client_of(role)
        assert client.get("/schedules/new/").status_code == 403
        assert post_schedule(client).status_code == 403
        assert [*AuditEntry.objects.values_list("action", flat=True)] == ["create_schedule"] * 2

    @pytest.mark.parametrize("kind", ["delete", "zzz", ""])
    def test_rejects_any_other_kind(self, admin, kind):
        assert admin.get(f"/schedules/new/?kind={kind}").status_code == 404


class TestChoiceOfKind:
    """Another kind of job replaces its options. Earlier input stays."""

    TYPED = ARCHIVE | {
        "kind": "restart",
        "shown": "archive",
        "choose": "kind",
        "older_than_months": "7",
        "every": "week",
        "at": "23:05",
        "weekday": "0",
        "view": "own",
        "line": "state:FAILED service:b&c",
        "zone": "Asia/Tokyo",
        "reason": "asked by Eva",
    }

    def choose(self, client: Client, **changes: str) -> dict[str, object]:
        """Return what the page shows after a choice."""
        answer = client.post("/schedules/new/?kind=archive", self.TYPED | changes)
        assert (answer.status_code, JobSchedule.objects.count()) == (200, 0)
        forms = (answer.context["times"], answer.context["form"])
        return {field.name: field.value() for form in forms for field in form} | {
            "carried": answer.context["carried"]
        }

    def test_keeps_what_the_new_kind_has_and_carries_the_rest(self, admin):
        shown = self.choose(admin)
        for name in ("every", "at", "weekday", "view", "line", "zone", "reason", "cron"):
            assert shown[name] == self.TYPED[name], name
        assert shown["enabled"] is True
        assert "older_than_months" not in shown
        assert shown["carried"] == [("older_than_months", "7"), ("to", "tables")]
        back = self.choose(admin, kind="archive", shown="restart")
        assert (back["older_than_months"], back["carried"]) == ("7", [])

    def test_keeps_an_unchecked_box_and_the_default_of_a_new_field(self, admin):
        typed = {name: value for name, value in self.TYPED.items() if name != "enabled"}
        answer = admin.post("/schedules/new/", typed | {"kind": "resend", "view": "tab:Failing now"})
        assert answer.context["times"]["enabled"].value() is False
        assert answer.context["times"]["view"].value() == "tab:Failing now"
        answer = admin.post("/schedules/new/", typed | {"kind": "reprocess", "view": "tab:Failing now"})
        assert answer.context["times"]["view"].value() == "own"

    def test_is_in_the_address_that_a_script_shows(self, admin):
        answer = admin.post("/schedules/new/", self.TYPED, headers={"HX-Request": "true"})
        assert answer.headers["HX-Replace-Url"] == "/schedules/new/?kind=restart"

    def test_is_kept_with_everything_else_when_the_form_is_refused(self, admin):
        typed = {name: value for name, value in self.TYPED.items() if name != "choose"}
        answer = admin.post("/schedules/new/?kind=archive", typed | {"rate": "no", "canary": "3"})
        text = text_of(answer)
        assert answer.status_code == 400
        assert '<option value="restart" selected>' in text
        assert '<input type="hidden" name="older_than_months" value="7">' in text
        for value in ("no", "3", "23:05", "Asia/Tokyo"):
            assert f'value="{value}"' in text
        assert 'value="asked by Eva"' in text


class TestChangeSchedule:
    def test_shows_what_it_is_and_keeps_what_is_changed(self, admin):
        post_schedule(admin, line="state:FAILED service:b&c")
        schedule_id = JobSchedule.objects.get().pk
        text = text_of(admin.get(f"/schedules/{schedule_id}/"))
        assert "state:FAILED service:b&amp;c" in text
        assert 'value="3"' in text
        response = send_form(admin, f"/schedules/{schedule_id}/", ARCHIVE | {"older_than_months": "5"})
        assert response.status_code == 302
        assert JobSchedule.objects.get().options == {"older_than_months": 5, "to": "tables"}

    def test_is_for_administrators(self, admin):
        post_schedule(admin)
        path = f"/schedules/{JobSchedule.objects.get().pk}/"
        assert client_of("operator", username="otto").post(path, ARCHIVE).status_code == 403

    def test_finds_nothing_with_another_id(self, admin):
        assert admin.get("/schedules/777/").status_code == 404

    def test_finds_no_schedule_of_an_unknown_kind(self, admin):
        post_schedule(admin)
        JobSchedule.objects.update(kind="other")
        assert admin.get(f"/schedules/{JobSchedule.objects.get().pk}/").status_code == 404


class TestFilterOfSchedule:
    def test_is_that_of_a_saved_view(self, admin):
        user = User.objects.get(username="ada")
        view = SavedView.objects.create(
            owner=user, name="crm", query="state=FAILED&service_name=crm&ordering=msg_id"
        )
        post_schedule(admin, "restart", view=f"{view.pk}:crm")
        assert JobSchedule.objects.get().filter == {"state": "FAILED", "service_name": "crm"}

    def test_is_that_of_a_built_in_view_with_its_relative_times(self, admin):
        post_schedule(admin, "cancel", view="tab:Waiting too long", older_than_months="")
        assert JobSchedule.objects.get().filter["last_process_timestamp_to"] == "-15m"

    def test_offers_no_views_of_other_users_and_none_for_other_stores(self, admin):
        SavedView.objects.create(owner=make_user("support", username="sue"), name="secret", query="state=OK")
        assert "secret" not in text_of(admin.get("/schedules/new/?kind=restart"))
        assert "Failing now" in text_of(admin.get("/schedules/new/?kind=restart"))
        assert "Failing now" not in text_of(admin.get("/schedules/new/?kind=reprocess"))

    def test_is_needed_for_jobs_that_need_one(self, admin):
        response = post_schedule(admin, "restart")
        assert response.status_code == 400
        assert list(response.context["times"].errors) == ["view"]


class TestTimesOfSchedule:
    @pytest.mark.parametrize(
        ("fields", "cron"),
        [
            ({"every": "hour", "minute": "15"}, "15 * * * *"),
            ({"every": "day", "at": "02:30"}, "30 2 * * *"),
            ({"every": "week", "at": "23:05", "weekday": "0"}, "5 23 * * 0"),
            ({"every": "month", "at": "00:00", "day": "31"}, "0 0 31 * *"),
            ({"every": "cron", "cron": " 0  6 * * mon-fri "}, "0 6 * * mon-fri"),
        ],
    )
    def test_are_kept_as_a_cron_line(self, admin, fields, cron):
        assert post_schedule(admin, **fields).status_code == 302
        assert JobSchedule.objects.get().cron == cron

    def test_are_shown_again_as_they_were_chosen(self, admin):
        post_schedule(admin, every="week", at="23:05", weekday="0")
        text = text_of(admin.get(f"/schedules/{JobSchedule.objects.get().pk}/"))
        for part in ('value="week" selected', 'value="0" selected', 'value="23:05"'):
            assert part in text


class TestPreviewSchedule:
    def preview(self, client: Client, **changes: str) -> str:
        fields = ARCHIVE | {"every": "day", "at": "02:30", "zone": "UTC"} | changes
        return text_of(
            client.post("/schedules/preview/?kind=archive", fields, headers={"hx-request": "true"})
        )

    def test_shows_the_next_five_runs_and_their_effect(self, admin):
        at = datetime.now(UTC) - timedelta(days=100)
        make_message(state="OK", receive_timestamp=at, last_process_timestamp=at)
        text = self.preview(admin, reason="")
        assert "<strong>Every day at 02:30</strong>, UTC" in text
        assert "<strong>Every day at 02:30</strong>, UTC</p>" in text_of(admin.get("/schedules/new/"))
        assert text.count("<li>") == 5
        assert '<span class="u-number">1</span>' in text
        assert "<html" not in text

    def test_says_what_is_wrong_with_the_times(self, admin):
        assert "The times are not complete." in self.preview(admin, at="")
        assert "at most every 5 minutes" in self.preview(admin, every="cron", cron="* * * * *")
        assert "Unknown time zone" in self.preview(admin, zone="Mars/Base")

    def test_counts_nothing_for_a_form_with_errors(self, admin):
        assert "Would be refused: Correct the form first." in self.preview(admin, older_than_months="two")
        assert "Correct the form first." in self.preview(admin, view="own", line="state:GONE")

    def test_is_for_administrators_and_stores_nothing(self, admin):
        assert client_of("operator", username="otto").post("/schedules/preview/", ARCHIVE).status_code == 403
        self.preview(admin)
        assert not JobSchedule.objects.exists()


class TestScheduleForm:
    def test_takes_the_errors_of_its_fields_and_leaves_the_others(self, admin):
        user = User.objects.get(username="ada")
        form = ScheduleForm(QueryDict("every=cron&cron=x&view=own&zone=UTC"), kind="restart", user=user)
        errors = [
            FieldError(field, "invalid_value", f"Wrong {field}.")
            for field in ("cron", "filter.state", "options.rate", "reason")
        ]
        assert form.take_errors(errors) == errors[2:]
        assert form.errors == {"cron": ["Wrong cron."], "line": ["Wrong filter.state."]}
