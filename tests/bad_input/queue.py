"""
Calls of the CP queue.

Source: docs/contributing/spec/bad_input.md, "CP queue".
"""

from tests.bad_input.cases import Section, case

INVALID, REQUIRED, LONG, RANGE = "invalid_value", "required", "too_long", "out_of_range"
GET, SEND, MAKE = "POST cp-queue/get-next/", "POST cp-queue/dispatch/", "POST cp-queue/create-messages/"
OBJECT = "POST cp-queue/object-"
CHANGED = {"ObjectID": 5, "ObjectType": 0, "ServiceName": "W1", "Reason": "TEXT"}
PULL = {"QueueNames": "RENDITION", "ServiceName": "W1"}
DONE = {"MessageGUID": "{mine}", "ServiceName": "W1", "Reason": "OK"}
NEW = {"ObjectID": 5, "ObjectType": 65_536, "CreateRenditionMessages": True}
PAUSE = ("POST cp-queue/pause-queue/", {"QueueName": "RENDITION", "reason": "r"})
EMPTY = '"MessageGUID":""'
FENCED = (GET, PULL | {"WantToken": True})


def _get(row: str, answer: str, *says: str, **changes: object):
    return case(row, GET, answer, *says, body=PULL | changes)


def _send(row: str, answer: str, *says: str, **changes: object):
    return case(row, SEND, answer, *says, body=DONE | changes)


def _make(row: str, answer: str, *says: str, **changes: object):
    return case(row, MAKE, answer, *says, body=NEW | changes)


def _unknown(row: str, call: str, body: dict, *names: str):
    return [case(row, call, f"400 {name}:unknown_field", body=body | {name: 1}) for name in names]


CASES = [
    _get("Q01", "200", EMPTY, QueueNames="NOBODY"),
    _get("Q02", f"400 QueueNames:{REQUIRED}", QueueNames=""),
    _get("Q02", f"400 QueueNames:{LONG}", QueueNames="x" * 300),
    _get("Q02", f"400 QueueNames:{INVALID}", QueueNames="a\nb"),
    _get("Q02", f"400 {INVALID}", QueueNames="a\0b"),
    *(_get("Q02", "200", EMPTY, QueueNames=name) for name in ("a b", "../x", "Ünï")),
    *_unknown("Q03", GET, PULL, "n", "count"),
    *_unknown("Q04", GET, PULL, "lease"),
    *_unknown("Q05", GET, PULL, "wait"),
    case("Q06", GET, f"400 ServiceName:{REQUIRED}", body={"QueueNames": "RENDITION"}),
    _get("Q07", f"400 ServiceName:{LONG}", ServiceName="x" * 300),
    _get("Q07", f"400 ServiceName:{INVALID}", ServiceName="a\nb"),
    _get("Q07", f"400 {INVALID}", ServiceName="a\0b"),
    case("Q08", GET, "200", EMPTY, after=(PAUSE,), body=PULL),
    case("Q13", GET, "403 permission_denied", body=PULL, role="support"),
    case("Q13", GET, "403 permission_denied", "the scope queue:consume", body=PULL, role="reader"),
    case(
        "Q15",
        SEND,
        "409 lease_lost",
        after=(FENCED,),
        body={"MessageGUID": "{MessageGUID}", "ServiceName": "W1", "Reason": "OK"},
    ),
    *(
        case(
            row,
            SEND,
            "409 lease_lost",
            after=(FENCED,),
            body={"MessageGUID": "{MessageGUID}", "ServiceName": "W1", "Reason": "OK", "Token": token},
        )
        for row, token in (("Q16", "x"), ("Q17", "A" * 32), ("Q63", "0" * 32))
    ),
    case("Q18", SEND, "200", '"outcome":"done"', body=DONE),
    _send("Q19", "409 state_conflict", "not_owner", MessageGUID="{theirs}"),
    _send("Q19", "409 state_conflict", "not_reserved", MessageGUID="{free}"),
    case("Q20", SEND, "404 not_found", after=((SEND, DONE),), body=DONE),
    case("Q21", SEND, "409 state_conflict", after=((SEND, DONE | {"Reason": "RETRY"}),), body=DONE),
    _send("Q22", "404 not_found", MessageGUID="0" * 32),
    case("Q23", SEND, "413 body_too_large", body=b'{"Reason": "' + b"x" * 2_700_000 + b'"}'),
    _send("Q23", f"400 {INVALID}", Reason="a\0b"),
    *_unknown("Q24", SEND, DONE, "Messages"),
    *_unknown("Q25", SEND, DONE, "items"),
    *_unknown("Q27", SEND, DONE, "delay"),
    _send("Q28", f"400 Reason:{REQUIRED}", Reason=""),
    _send("Q28", f"400 Reason:{LONG}", Reason="x" * 10_000),
    *(case("Q34", MAKE, "400", body=raw) for raw in (b"null", b'""', b'{"ObjectID": NaN}', b"ObjectID=5")),
    case("Q35", MAKE, "413 body_too_large", body=b" " * 2_700_000),
    _make("Q36", f"400 QueueNames:{LONG}", QueueNames=",".join(str(n) for n in range(10_001))),
    _make("Q36", "400 QueueNames:too_many", QueueNames=",".join(str(n) for n in range(101))),
    _make("Q37", f"400 QueueNames:{LONG}", QueueNames="A," + "x" * 129),
    *(
        _make("Q41", f"400 ObjectID:{code}", ObjectID=v)
        for v, code in ((-1, RANGE), (2**31, RANGE), ("5", INVALID))
    ),
    *(_make("Q41", f"400 ObjectID:{INVALID}", ObjectID=v) for v in (1.5, True, [5])),
    *_unknown("Q41", MAKE, NEW, "Priority"),
    *_unknown("Q42", MAKE, NEW, "run_at"),
    *_unknown("Q43", MAKE, NEW, "order_key"),
    *_unknown("Q44", MAKE, NEW, "max_deliveries"),
    *_unknown("Q45", MAKE, NEW, "ttl"),
    _make("Q47", "201", '"created":1', ObjectID=2_000_000_000),
    *(
        case("Q70", call, "400", body=body)
        for call, body in (
            (f"{OBJECT}info/", {"ObjectID": -1}),
            (f"{OBJECT}info/", {"ObjectID": 5, "Rights": "R\0"}),
            (f"{OBJECT}info/", {"ObjectID": 5, "Flags": 3}),
            (f"{OBJECT}full-text/", {"ObjectID": 2**31, "ObjectType": 0}),
            (f"{OBJECT}full-text/", {"ObjectID": [5], "ObjectType": 0}),
            ("POST cp-queue/rendition-changed/", CHANGED | {"Reason": "text"}),
            ("POST cp-queue/rendition-changed/", CHANGED | {"ServiceName": "a\0b"}),
            ("POST cp-queue/process-page-count/", {"Count": 1e9}),
            ("POST cp-queue/process-page-count/", {"Count": 10**30}),
        )
    ),
    case("Q70", f"{OBJECT}full-text/", "404 not_found", body={"ObjectID": 2**31 - 1, "ObjectType": 0}),
    case("Q51", "GET cp-queue/messages/?page_size=1000000", "400 page_size:out_of_range"),
    case("Q50", "GET cp-queue/preview/?QueueNames=RENDITION", "200", hides=("Token", "checkguid")),
    case("Q50", "GET cp-queue/messages/", "200", hides=("checkguid",)),
    case(
        "Q54",
        "POST cp-queue/delete/",
        "403 permission_denied",
        role="service",
        body={"MessageGUID": "{free}"},
    ),
    case("Q55", PAUSE[0], "200", '"changed":false', after=(PAUSE,), body=PAUSE[1]),
    case("Q55", "POST cp-queue/resume-queue/", "200", '"changed":false', body=PAUSE[1]),
    case(
        "Q56", "POST cp-queue/reset/", "200", '"released":1', body={"MessageGUID": "{theirs}", "reason": "r"}
    ),
    case(
        "Q57",
        "POST cp-queue/reset/",
        "403 permission_denied",
        role="service",
        body={"MessageGUID": "{theirs}"},
    ),
    case("Q58", "POST cp-queue/send-on/", "409 state_conflict", body={"MessageGUID": "{free}"}),
    case("Q60", "POST cp-queue/delete/", "409 state_conflict", body={"MessageGUID": "{mine}"}),
    case("Q61", "GET cp-queue/messages/?state=zzz", "400 state:invalid_value"),
    case("Q64", "GET cp-queue/messages/{free}/", "404 not_found"),
    case("Q65", "GET cp-queue/messages/?Token=x", "400 Token:unknown_parameter"),
    _get("Q69", "400 filter:unknown_field", filter={"payload": "x"}),
    *(
        case("Q70", call, "400 zzz:unknown_field", body=body | {"zzz": 1})
        for call, body in ((GET, PULL), (SEND, DONE), (MAKE, NEW))
    ),
    *(
        case("Q71", call, "400", body=raw)
        for call in (GET, SEND, MAKE)
        for raw in ('{"a": 1}'.encode("utf-16"), b"\xef\xbb\xbf{}", b"[" * 100_000, b'{"a": 1, "a": 1}')
    ),
    *(
        case("Q70", f"POST cp-queue/{path}/", "400", body=body)
        for path, body in (
            ("reset-service", {}),
            ("reset-service", {"ServiceName": 5}),
            ("reset", {"MessageGUID": "x"}),
            ("reset-selective", {}),
            ("reset-selective", {"ObjectID": "5"}),
            ("reset-selective", {"CreatedBefore": "soon"}),
            ("pause-queue", {"QueueName": ""}),
            ("dispatch-for-service", {"MessageGUID": "x", "ServiceName": "W1", "Reason": "OK"}),
        )
    ),
]

_HARD = "messages_app/cp_queue/test_hard_cases.py::TestTheCaseOf::"
SECTION = Section(
    prefix="Q",
    count=72,
    cases=CASES,
    elsewhere={
        "Q11": "messages_app/cp_queue/test_swarm.py::TestWorkers",
        "Q14": "messages_app/access/test_scopes_confining.py::TestConfinedToken::test_is_refused_elsewhere",
        "Q29": "messages_app/cp_queue/services/test_dispatch.py::TestDispatch::test_counts_attempts_until",
        "Q31": f"{_HARD}test_9_a_late_dispatch_after_another_has_picked_the_message",
        "Q59": "messages_app/cp_queue/services/test_pickup.py::TestGetNext::test_collapses_messages_that",
        "Q67": f"{_HARD}test_8_a_reset_that_races_with_a_dispatch",
    },
    not_offered={
        "Q09": "get-next answers immediately, because services poll",
        "Q10": "no long poll",
        "Q12": "no long poll; gunicorn's backlog holds callers, and a token's limit refuses them (A77)",
        "Q26": "a dispatch is about one message",
        **dict.fromkeys(
            ("Q30", "Q32", "Q33"), "no lease that ends: a dispatch or a reset ends a reservation"
        ),
        **dict.fromkeys(
            ("Q38", "Q39", "Q40"), "the vendor's call makes one more each time; Idempotency-Key is A66"
        ),
        "Q46": "no message expires",
        "Q48": "the queue is about objects of another system, which the archive does not touch",
        "Q49": "the vendor's queue has no limit",
        **dict.fromkeys(("Q52", "Q53"), "no purge: delete is about one free message"),
        "Q62": "no time of a service's counts",
        "Q66": "gunicorn speaks HTTP/1.0",
        "Q68": "no lease that ends",
        "Q72": "the vendor bounds no service's reservations; the services' page counts them",
    },
)
