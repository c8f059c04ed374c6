"""As every_path.py: rows of the three other stores, and the addresses of the pages that show them."""

from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import pause_queue
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import reset_message
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.in_doubt import resubmit_document, settle_document
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import suspend_trigger
from messages_app.message_store.services.messages import mute_message
from tests.support.histories import ADA, make_trigger, store_both, store_entry
from tests.support.queues import guid_of, store_many
from tests.support.queues import store as store_cp
from tests.support.stores import define, define_orders, execute, make_older, process, set_process, store


def document_paths() -> list[str]:
    """Store documents in all sorts of situations, and return the addresses of the pages about them."""
    long = "d" * 96
    trigger = make_trigger(name="n" * 60, resolver="nobody")
    suspend_trigger(trigger_id=trigger.pk, because="because " * 30)
    make_trigger("t-2", name="Invoices")
    for uuid, age in ((long, "3 days"), ("d-1", "1 minute")):
        store_both(uuid=uuid, trigger_id="t-2", age=age)
    store_both(uuid="d-2", trigger_id="t-9")
    store_entry("completed", uuid="d-3", trigger_id="t-2")
    for uuid in (long.upper(), "d-4", "d-5"):
        store_entry("processing", uuid=uuid, trigger_id="t-2", age="2 hours")
        check_document(
            trigger_id="t-2", uuid=uuid, redelivery_count=1, document_name="y" * 100, document={"a": 1}
        )
    check_document(trigger_id="t-2", uuid="x" * 3000)
    check_document(trigger_id="t-2", uuid="d-1")
    opened, resubmitted, settled = DocumentInDoubt.objects.order_by("pk")[:3]
    resubmit_document(in_doubt_id=resubmitted.pk, actor=ADA, reason="r" * 1000, takes=False)
    settle_document(in_doubt_id=settled.pk, actor=ADA, reason="r" * 1000)
    sweep_entries(actor=ADA, reason="r")
    home = "/document-history/"
    return [
        home,
        f"{home}new-trigger/",
        f"{home}triggers/{trigger.pk}/",
        f"{home}triggers/t-2/",
        f"{home}entries/",
        f"{home}entries/?uuid_prefix=d&state=both",
        f"{home}entries/?time_from=whenever",
        f"{home}undetermined/",
        f"{home}in-doubt/",
        f"{home}in-doubt/?state=open&trigger_id={trigger.pk}",
        *(f"{home}in-doubt/{line.pk}/" for line in (opened, resubmitted, settled)),
        f"{home}in-doubt/{opened.pk}/document/",
        f"{home}statistics/",
        f"{home}statistics/?at_to=-20d",
        f"{home}sweeper/",
        f"{home}dry-run/",
        f"{home}dry-run/?trigger_id=t-2&uuid={long}&redelivery_count=2",
    ]


def queue_paths() -> list[str]:
    """Store CP messages in all sorts of situations, and return the addresses of the pages about them."""
    long, dead = "q" * 128, "indexer-" + "s" * 120
    store_many(60, objects=20)
    store_cp("old", age="40 days")
    store_cp("future", "PAGECOUNT", osid=6, age="-1 hour")
    store_cp("any", long, osid=2**31 - 1)
    held, alone = store_cp("held", osid=7, lock=dead), store_cp("elsewhere", "OCR/2", osid=8, lock="W9")
    store_cp("newer", osid=7)
    get_next(queues="FULLTEXTIDX", service="indexer-1")
    for name, reason in (("done", "OK"), ("again", "RETRY"), ("broken", "no such file " * 60)):
        guid = store_cp(name, osid=9, lock="cache-1")
        dispatch_message(guid=guid, service="cache-1", reason=reason)
    taken = get_next(queues="RENDITION", service="cache-1")
    reset_message(guid=alone, actor=ADA, reason="r" * 1000)
    pause_queue(queue="RENRESET", actor=ADA, reason="r" * 1000)
    home = "/cp-queue/"
    return [
        home,
        f"{home}?after=PAGECOUNT",
        f"{home}queue/?queuename=RENDITION",
        f"{home}queue/?queuename=RENRESET",
        f"{home}queue/?queuename={long}",
        f"{home}services/",
        f"{home}services/dispatch/?service={dead}",
        f"{home}messages/",
        f"{home}messages/?queuename=RENDITION&state=free&ordering=created",
        f"{home}messages/?created_from=whenever",
        *(f"{home}messages/{guid}/" for guid in (held, alone, taken.guid)),
        *(f"{home}messages/{guid_of(name)}/" for name in ("old", "again", "broken")),
        f"{home}objects/",
        f"{home}objects/?osid=nothing",
        f"{home}objects/7/",
        f"{home}objects/9/",
        f"{home}dispatches/",
        f"{home}dispatches/?outcome=failed&at_from=-24h",
        f"{home}preview/",
        f"{home}preview/?queue=RENDITION&others=OCR/2",
        f"{home}create/",
        f"{home}create/?object_id=7&object_type=65536&queue=RENDITION&others={long}",
        f"{home}reset/",
        f"{home}reset/?service={dead}",
        f"{home}reset/?queue=RENDITION",
    ]


def store_paths() -> list[str]:
    """Store messages of the store in all sorts of situations, and return the addresses of their pages."""
    definition = define()
    define_orders()
    long = "l" * 255
    done = store([{"id": 1}, {"id": 2}], user=long)
    process(done)
    waits = store([{"id": 1, "customer": number} for number in range(30)], entity="order", refresh=True)
    process(waits)
    old = store([{"id": 2, "customer": "k" * 300}], entity="order")
    make_older(old, "60 days")
    process(old)
    held, failed, orphan = store(), store(entity=long), store(system=None, entity=None)
    set_process(held, status=1)
    set_process(failed, status=20, error_message="e" * 255)
    process(orphan)
    mute_message(identifier=failed, actor=ADA, reason="known")
    execute("DELETE FROM message_store WHERE message_identifier = %s", orphan)
    home = "/message-store/"
    return [
        home,
        f"{home}messages/",
        f"{home}messages/?status=20,21,22,23,24,25,26&missing_entity=customer",
        f"{home}messages/?orphaned=true",
        f"{home}messages/?status=broken&message_timestamp_from=whenever",
        *(f"{home}messages/{key}/" for key in (done, waits, old, held, failed, orphan)),
        f"{home}messages/{done}/rehearsal/",
        f"{home}messages/{done}/data/",
        f"{home}errors/",
        f"{home}missing/",
        f"{home}missing/?entity=customer",
        f"{home}messages/?muted=true",
        f"{home}monitor/?maximum_delay=7200&age_exponent=2",
        f"{home}monitor/",
        f"{home}definitions/",
        f"{home}definitions/new/",
        f"{home}definitions/{definition.pk}/",
    ]
