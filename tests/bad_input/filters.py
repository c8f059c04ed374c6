"""Filters, search, ordering and paging of the API. Source: docs/contributing/spec/bad_input.md, "Lists"."""

from tests.bad_input.cases import Section, case

UNKNOWN, INVALID = "unknown_parameter", "invalid_value"
FROM, PARENT = "receive_timestamp_from", "parent_msg_id"
CONTENT = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-02T00:00:00Z"

# row, query string, field, code
QUERIES = [
    ("FL01", "zzz=1", "zzz", UNKNOWN),
    ("FL02", "State=OK", "State", UNKNOWN),
    ("FL03", "state=NOPE", "state", INVALID),
    ("FL04", "state=", "state", "required"),
    ("FL05", "correlation_id=a&correlation_id=b", "correlation_id", "ambiguous_parameter"),
    ("FL06", "state[]=OK", "state[]", UNKNOWN),
    ("FL06", "state.0=OK", "state.0", UNKNOWN),
    ("FL07", "state=,", "state", "required"),
    ("FL08", "state=OK,,FAILED", "state", "required"),
    ("FL11", f"{PARENT}=abc", PARENT, INVALID),
    ("FL12", f"{PARENT}=9223372036854775808", PARENT, "out_of_range"),
    ("FL13", f"{PARENT}=-9223372036854775809", PARENT, "out_of_range"),
    *(("FL14", f"{PARENT}={t}", PARENT, INVALID) for t in ("1e3", "1_000", "0x10", "1.0", "%2B1", "%201")),
    *(("FL15", f"{PARENT}={t}", PARENT, INVALID) for t in ("NaN", "Infinity", "1e5000")),
    ("FL16", f"{PARENT}={'9' * 400}", PARENT, "out_of_range"),
    ("FL17", f"{FROM}=2026-11-02T00:00:00Z&receive_timestamp_to=2026-11-01T00:00:00Z", FROM, INVALID),
    ("FL20", f"{FROM}=yesterday", FROM, INVALID),
    *(("FL21", f"{FROM}={day}T00:00:00Z", FROM, INVALID) for day in ("2024-02-30", "2023-02-29")),
    ("FL22", f"{FROM}=2026-11-21T10:00", FROM, INVALID),
    ("FL23", f"{FROM}=2016-12-31T23:59:60Z", FROM, INVALID),
    *(("FL24", f"{FROM}={y}-01-01T00:00:00Z", FROM, "out_of_range") for y in ("0000", "10000")),
    ("FL25", f"{FROM}=0001-01-01T00:00:00%2B14:00", FROM, "out_of_range"),
    ("FL26", f"{FROM}=2026-03-29T02:30:00", FROM, INVALID),
    ("FL27", f"{FROM}=2026-11-02T00:00:00Z&receive_timestamp_to=2026-11-01T23:00:00Z", FROM, INVALID),
    ("FL30", f"{FROM}=2026-11-21T10:00:00%2B99:99", FROM, INVALID),
    ("FL31", "correlation_id=a%00b", "correlation_id", INVALID),
    ("FL34", "correlation_id=" + "x" * 101, "correlation_id", "too_long"),
    *(("FL35", f"correlation_id__regex={t}", "correlation_id__regex", UNKNOWN) for t in ("(", "[", "(?P<")),
    ("FL36", "correlation_id__regex=(a%2B)%2B$", "correlation_id__regex", UNKNOWN),
    ("FL37", "payload__iregex=(.*)%5C1", "payload__iregex", UNKNOWN),
    ("FL38", "payload__contains=x", "payload__contains", UNKNOWN),
    *(
        ("FL39", f"correlation_id__{t}=x", f"correlation_id__{t}", UNKNOWN)
        for t in ("iexact", "in", "isnull")
    ),
    ("FL40", "externalcall__state=OK", "externalcall__state", UNKNOWN),
    *(("FL41", f"{name}=1", name, UNKNOWN) for name in ("_connector", "_negated", "pk", "id", "message_id")),
    ("FL42", "state=OK'%20OR%20'1'='1", "state", INVALID),
    ("FL44", f"payload_contains=%00&{CONTENT}", "payload_contains", INVALID),
    ("FL45", f"payload_contains=&{CONTENT}", "payload_contains", "required"),
    ("FL47", f"payload_contains={'x' * 201}&{CONTENT}", "payload_contains", "too_long"),
    ("FL47", f"payload_contains={'x' * 100_000}&{CONTENT}", "payload_contains", "too_long"),
    *(("FL53", f"ordering={t}", "ordering", INVALID) for t in ("nope", "state")),
    *(("FL54", f"ordering={t}", "ordering", INVALID) for t in ("--msg_id", "-", ",")),
    ("FL55", "ordering=payload", "ordering", INVALID),
    ("FL56", "ordering=externalcall__state", "ordering", INVALID),
    ("FL57", "ordering=msg_id,msg_id", "ordering", INVALID),
    ("FL57", "ordering=" + ",".join(["msg_id"] * 500), "ordering", INVALID),
    ("FL58", "ordering=msg_id;drop%20table%20message", "ordering", INVALID),
    *(("FL59", f"ordering={t}", "ordering", INVALID) for t in ("?", "RANDOM()")),
    *(("FL60", f"page={t}", "page", UNKNOWN) for t in ("0", "-1", "abc", "1e3", "9" * 5000)),
    ("FL61", "page=last", "page", UNKNOWN),
    *(("FL62", f"page_size={t}", "page_size", "out_of_range") for t in ("0", "-5", "501", "1000000")),
    *(("FL62", f"page_size={t}", "page_size", INVALID) for t in ("x", "1.5", "1e3", "+5", "٣")),
    *(("FL63", f"cursor={t}", "cursor", INVALID) for t in ("garbage", "x" * 5000)),
    ("FL65", "limit=10&offset=1000000000", "offset", UNKNOWN),
    ("FL66", "fields=payload", "fields", "unknown_field"),
    ("FL67", "fields=__class__", "fields", "unknown_field"),
    ("FL67", "expand=user.password", "expand", UNKNOWN),
    ("FL68", "format=csv", "format", UNKNOWN),
    ("FL69", "count=true", "count", UNKNOWN),
    ("FL18", "failed_count=2147483648", "failed_count", UNKNOWN),
    ("FL19", "failed_count=true", "failed_count", UNKNOWN),
]
FINE = [
    ("FL09", "state=" + ",".join(["OK"] * 5000)),
    ("FL10", "state=OK,OK"),
    ("FL43", "correlation_id='%20;%20select%20pg_sleep(10)%20--"),
    ("FL49", f"payload_contains=%25_%25&{CONTENT}"),
    ("FL50", f"payload_contains=%2B%2B(&{CONTENT}"),
    ("FL51", f"payload_contains=%3Cscript%3E&{CONTENT}"),
    ("FL72", "correlation_id=a%2500"),
    ("FL73", "correlation_id=a%C2%A0b"),
    ("FL74", "source_system=crm"),
]
# The largest that is taken, and the next larger (docs/contributing/spec/promises.md, S-40).
WEEK = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-08T00:00:0"
LIMITS = [
    case("FL34", "GET messages/?correlation_id=" + "x" * 100, "200"),
    case("FL47", f"GET messages/?payload_contains={'x' * 200}&{CONTENT}", "200"),
    case("FL62", "GET messages/?page_size=500", "200"),
    case("FL28", f"GET messages/?payload_contains=x&{WEEK}0Z", "200"),
    case("FL28", f"GET messages/?payload_contains=x&{WEEK}1Z", "400 payload_contains:out_of_range"),
    case("FL71", "GET messages/?" + "&".join(f"a{n}=1" for n in range(200)), f"400 {UNKNOWN}"),
    case("FL71", "GET messages/?" + "&".join(f"a{n}=1" for n in range(201)), "400 too_many"),
]
# The other lists read their parameters in the same way.
LISTS = [
    "external-calls/",
    "requests/",
    "responses/",
    "funnels/",
    "jobs/",
    "document-history/entries/",
    "document-history/in-doubt/",
    "document-history/statistics/",
    "document-history/triggers/",
    "cp-queue/messages/",
    "cp-queue/dispatches/",
    "message-store/",
    "message-store/source-definitions/",
]
FOR_ALL = [
    ("FL01", "zzz=1", f"zzz:{UNKNOWN}"),
    ("FL41", "_connector=OR", f"_connector:{UNKNOWN}"),
    ("FL62", "page_size=0", "page_size:out_of_range"),
    ("FL63", "cursor=garbage", f"cursor:{INVALID}"),
    ("FL32", "zzz=%ff%fe", "invalid_encoding"),
]

CASES = [
    *(case(row, f"GET messages/?{query}", f"400 {field}:{code}") for row, query, field, code in QUERIES),
    *(case(row, f"GET messages/?{query}", "200", '"results":[') for row, query in FINE),
    *(case(row, f"GET {path}?{query}", f"400 {answer}") for path in LISTS for row, query, answer in FOR_ALL),
    *(case("FL01", f"GET {path}?zzz=1", f"400 zzz:{UNKNOWN}") for path in ("failure-groups/", "stats/")),
    *LIMITS,
    case("FL03", "GET messages/?state=NOPE", "400", "PARTLY_FAILED"),
    case("FL16", f"GET messages/?{PARENT}={'x' * 400}", "400", "...", hides=("x" * 100,)),
    case("FL32", "GET messages/?correlation_id=%ff%fe", "400 invalid_encoding"),
    case("FL33", "GET messages/?correlation_id=%ED%A0%80", "400 invalid_encoding"),
    case("FL38", "GET messages/?payload_contains=x", "400 payload_contains:required"),
    case(
        "FL28",
        "GET messages/?payload_contains=x&receive_timestamp_from=2025-01-01T00:00:00Z"
        "&receive_timestamp_to=2026-11-02T00:00:00Z",
        "400 payload_contains:out_of_range",
    ),
    case("FL53", "GET messages/?ordering=nope", "400", "-receive_timestamp"),
    case("FL69", "GET messages/count/", "200", '"exact":true'),
    case(
        "FL70",
        f"GET messages/?payload_contains=Ada&{CONTENT}",
        f"400 payload_contains:{UNKNOWN}",
        "You need the permission view_payload. Ask an administrator.",
        role="masked",
    ),
]

SECTION = Section(
    prefix="FL",
    count=75,
    cases=CASES,
    elsewhere={
        "FL52": "messages_app/core/test_error_handlers.py::TestDatabaseTrouble::test_reports_that_a_count",
        "FL64": "messages_app/core/pagination/test_paginator.py::TestFetchPage::test_continues_when_the_row",
        "FL75": "messages_app/messages/listing/saved_views/test_views.py::TestChangeView::test_does_not_show",
    },
    not_offered={
        "FL29": "no time range is needed: index or bound (docs/contributing/spec/design.md, R-9)",
        "FL46": "a search of payloads is bounded by its time range, whatever the word's length",
        "FL48": "the word is one text, searched as it is",
    },
)
