"""Rows of every kind, some as awkward as they come, and the addresses of the pages that show them."""

import re
from urllib.parse import quote

from django.db.models.functions import Now

from messages_app.access.token_services import create_token
from messages_app.access.users.views import DECISIONS
from messages_app.audit.services import SYSTEM, Actor, record_entry
from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.incidents.deployments.models import Deployment
from messages_app.incidents.models import FailureCell, Incident, IncidentCell
from messages_app.jobs.models import Job, JobChunk, JobItem, JobSchedule
from messages_app.jobs.webhooks.models import Webhook
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.call_counts.models import CallRollup
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import ErrorCode, FailureGroup
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from messages_app.notes.models import NoteKind
from messages_app.notes.services import add_note
from messages_app.shared.job_states import ChunkContent, JobState
from messages_app.urls import KeyConverter
from tests.pages.hostile_text import HOSTILE
from tests.pages.job_paths import job_paths
from tests.pages.other_stores import document_paths, queue_paths, store_paths
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    make_response,
    make_user,
)


def kind_of_path(path: str) -> str:
    """Return what pages of one template have in common: their address without ids and query."""
    return re.sub(r"/[^/]*[0-9][^/]*/", "/1/", path.partition("?")[0])


def every_path() -> list[str]:
    """Store rows of every kind, and return the addresses of the pages that show them."""
    ErrorCode.objects.create(code="X900", description=HOSTILE[:200], action=HOSTILE + "a" * 900)
    parent = make_message(state="WAITING", correlation_id="x" * 100, operation_name="y" * 100)
    message = make_message(
        state="FAILED",
        parent_msg_id=parent.pk,
        failed_count=4,
        failed_error_code="E103",
        source_system=HOSTILE[:15],
        object_id=HOSTILE[:50],
        failed_desc="E103: " + HOSTILE + "refused " * 40 + "\n" + "\tat x.y.Z\n" * 50,
        custom_data=HOSTILE + "z" * 5000,
        payload=f"<order note='javascript:alert(4)'>{HOSTILE}</order>",
    )
    make_external_call(message, operation_name="spring-ws:http://a.example/" + "o" * 70)
    make_response(make_request(message, uri="javascript:alert(5)//" + HOSTILE + "u" * 280))
    make_funnel(message, funnel_value="v" * 50)
    for _ in range(50):
        make_message(state="PROCESSING")
    waiting = make_message(state="POSTPONED", funnel_component_id="funnel_1", last_process_timestamp=NOON)
    make_funnel(waiting, funnel_value="account-7")
    archived = make_archived_message()
    record_entry(actor=Actor(username="ada"), action="restart", msg_id=message.pk, reason=HOSTILE + "r" * 900)
    job = Job.objects.create(
        kind="archive", state=JobState.DONE, reason=HOSTILE + "r" * 900, created_by="ada"
    )
    JobChunk.objects.create(
        job_id=job.pk,
        chunk_no=0,
        content=ChunkContent.MESSAGES,
        planned=1,
        outcomes={"done": 1},
        moved={"message": 1},
        committed_at=NOON,
    )
    JobItem.objects.create(
        job_id=job.pk, msg_id=message.pk, chunk_no=0, root_msg_id=parent.pk, old_state="OK"
    )
    schedule = JobSchedule.objects.create(
        kind="archive",
        filter={"state": "OK"},
        options={"to": "parquet"},
        cron="30 2 * * *",
        zone="UTC",
        reason="r",
    )
    Webhook.objects.create(
        name=HOSTILE[:100],
        url=f"https://{'h' * 60}.example.org/{HOSTILE}",
        event="messages_final",
        states=["FAILED", "OK"],
        filter={"service_name": HOSTILE, "operation_name": "y" * 100},
        error=HOSTILE + "refused " * 20,
        rests_until=NOON,
        delivered_at=NOON,
    )
    Deployment.objects.create(
        service_name=HOSTILE[:100], version="v" * 100, note=HOSTILE + "n" * 800, noted_by="pipeline"
    )
    return [
        "/",
        "/handover/",
        "/handover/?since=whenever",
        "/mentions/",
        "/alerts/",
        "/watch-rules/",
        "/watch-rules/new/",
        "/webhooks/",
        "/failures/",
        *failure_paths(),
        "/messages/",
        "/messages/?state=FAILED&service_name=nobody",
        "/messages/?receive_timestamp_from=whenever",
        "/messages/?archived=any",
        "/messages/?q=state:FAILD",
        "/messages/views/",
        "/messages/find/?id=corr",
        f"/messages/find/?id={'9' * 150}",
        "/funnels/",
        "/funnels/?value=account-7&component=funnel_1",
        f"/messages/{message.pk}/",
        f"/messages/{parent.pk}/",
        f"/messages/{archived.pk}/",
        f"/messages/{message.pk}/restart/?total=true",
        f"/messages/{message.pk}/cancel/",
        f"/messages/{message.pk}/resend/",
        f"/messages/{message.pk}/payload/",
        f"/messages/{message.pk}/payload/?view=raw",
        f"/messages/{message.pk}/payload/?view=hex&find=Ada",
        f"/messages/{message.pk}/compare/",
        f"/messages/{message.pk}/compare/?with={parent.pk}",
        "/messages/1/",
        "/jobs/",
        f"/jobs/{job.pk}/",
        "/schedules/",
        "/error-codes/",
        "/error-codes/new/",
        "/error-codes/E103/",
        "/error-codes/X900/delete/",
        "/schedules/new/?kind=restart",
        f"/schedules/{schedule.pk}/",
        f"/schedules/{schedule.pk}/today/",
        f"/schedules/{schedule.pk}/run/",
        f"/schedules/{schedule.pk}/delete/",
        "/archive/",
        *map_paths(),
        *job_paths(message),
        *document_paths(),
        *queue_paths(),
        *store_paths(),
        *incident_paths(),
        *key_paths(message, archived),
        "/deployments/",
        "/deployments/new/",
        "/audit/",
        *audit_paths(),
        *account_paths(),
        "/sessions/",
        "/password/",
        "/me/",
        "/second-factor/",
    ]


def audit_paths() -> list[str]:
    """Store entries as long as they come, and return the addresses of the list and of one of them."""
    actor = Actor(username="n" * 150, token_name=HOSTILE[:60], address="2001:db8::1", request_id="q" * 36)
    for number in range(3):
        entry = record_entry(
            actor=actor,
            action="view_payload" + "s" * 28,
            outcome="refused",
            subject_kind="webhook",
            subject=f"{number}" + "w" * 199,
            before_state="PARTLY_FAILED",
            after_state="FAILED",
            reason=HOSTILE + "r" * 900,
            details={"refusal": HOSTILE, "filter": {"state": ["FAILED"] * 40}},
        )
    narrowed = "/audit/?actor=nobody&outcome=refused&reason_contains=none"
    return [f"/audit/{entry.pk}/", "/audit/?folded=false", "/audit/?job_id=1&subject=2", narrowed]


def account_paths() -> list[str]:
    """Store users and tokens, some as awkward as they come, and return the addresses of their pages."""
    user = make_user("support", username="n" * 150, first_name=HOSTILE[:150], email=f"{'e' * 60}@hub.example")
    record_entry(actor=Actor(username=user.username), action="cancel", reason=HOSTILE + "r" * 900)
    names = ["messages:read", f"queue:consume:{'Q' * 180}"]
    token, _ = create_token(user=user, name=HOSTILE[:60], actor=SYSTEM, scopes=names)
    off = make_user(username="off", is_active=False, is_superuser=True)
    own = f"/users/{user.pk}/"
    return [
        "/users/",
        "/users/new/",
        "/users/?q=nobody-has-this",
        own,
        f"/users/{off.pk}/",
        *(f"{own}{how}/" for how in DECISIONS),
        "/tokens/",
        "/tokens/new/",
        "/tokens/?show=own",
        f"/tokens/{token.pk}/revoke/",
        "/settings/",
        "/settings/health/",
        "/setup/",
        "/setup/health/",
    ]


def map_paths() -> list[str]:
    """Store calls of a service with an awkward name, and return the addresses of the pages about them."""
    names = KeyConverter()
    service, system = HOSTILE[:30], HOSTILE[:100] + "y" * 100
    CallRollup.objects.filter(service_name=service).delete()
    for minute in (NOON, Now()):
        CallRollup.objects.create(
            minute=minute, service_name=service, external_system=system, succeeded=9, failed=3
        )
    return [
        "/map/",
        "/map/?window=1h",
        "/services/billing/",
        "/services/billing/targets/",
        f"/systems/{quote(names.to_url(system))}/",
    ]


def incident_paths() -> list[str]:
    """Store an incident of the failures, and return the addresses of its pages."""
    Incident.objects.filter(title=HOSTILE).delete()
    incident = Incident.objects.create(
        title=HOSTILE[:100] + "t" * 90,
        began_at=NOON,
        last_failure_at=NOON,
        external_system=HOSTILE[:100],
        services=[HOSTILE[:90], "s" * 100],
        failures=1,
        affected=1,
        owner="o" * 150,
    )
    for kind, subject in ((NoteKind.INCIDENT, incident.pk), (NoteKind.SHIFT, 0)):
        text = f"@ada {HOSTILE}" + "n" * 900
        add_note(kind=kind, subject=subject, text=text, actor=Actor(username="ada"))
    cell = FailureCell.objects.create(
        fingerprint="every path",
        store="messages",
        service_name="s" * 100,
        operation_name="y" * 100,
        source_system=HOSTILE[:100],
        external_system=HOSTILE[:100] + "e" * 90,
        cause="E103: " + HOSTILE + "c" * 300,
        first_seen=NOON,
        last_seen=NOON,
    )
    IncidentCell.objects.create(
        incident_id=incident.pk,
        cell_id=cell.pk,
        first=NOON,
        last=NOON,
        reason="system",
        strength="high",
        origin_id=incident.pk,
    )
    own = f"/incidents/{incident.pk}/"
    return ["/incidents/", own, *(f"{own}{how}/" for how in ("assign", "close", "merge", "split"))]


def key_paths(message: Message, archived: Message) -> list[str]:
    """Store keys of messages, some as awkward as they come, and return the addresses of their pages."""
    definition = KeyDefinition.objects.create(
        service_name="s" * 30,
        operation_name="o" * 100,
        name=HOSTILE[:40],
        path="//" + "p" * 180,
        sensitive=True,
        read=12_000,
        unreadable=3,
        problem=HOSTILE,
        problem_msg_id=message.pk,
        problem_at=NOON,
    )
    for each, value in (
        (message, "N004711"),
        (archived, "N004711"),
        (message, HOSTILE),
        (message, "w" * 200),
    ):
        BusinessKey.objects.create(
            definition_id=definition.pk,
            value=value,
            msg_id=each.pk,
            receive_timestamp=each.receive_timestamp,
        )
    return [
        "/keys/",
        "/keys/?value=",
        "/keys/N004711/",
        f"/keys/{quote(KeyConverter().to_url(HOSTILE))}/",
        "/keys/www/",
        "/keys/nobody/",
        f"/keys/of-message/{message.pk}/",
        "/business-keys/",
        "/business-keys/new/",
        f"/business-keys/{definition.pk}/",
        f"/business-keys/{definition.pk}/remove/",
    ]


def failure_paths() -> list[str]:
    """Count what was stored, open an alert about it, and return the addresses of its failure groups."""
    fold_changes()
    group_new_failures()
    told = {"mail_to": ["o" * 60 + "@example.org"], "webhook_url": "https://hooks.example/" + "h" * 200}
    rule = WatchRule.objects.create(name="n" * 100, measure="present", state="FAILED", limit=0, **told)
    check_rules()
    groups = FailureGroup.objects.values_list("pk", flat=True)
    return [*(f"/failures/{group_id}/" for group_id in groups), f"/watch-rules/{rule.pk}/"]
