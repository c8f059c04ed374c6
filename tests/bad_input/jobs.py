"""Parameters of jobs. Source: docs/contributing/spec/bad_input.md, "Jobs"."""

from tests.bad_input.cases import Section, case

JOBS = "POST jobs/"
INVALID, UNKNOWN, RANGE = "invalid_value", "unknown_field", "out_of_range"
ARCHIVE = {"kind": "archive", "reason": "r", "dry_run": True}
RESTART = {"kind": "restart", "reason": "r", "dry_run": True}
EXPORT = {"kind": "export", "reason": "r", "filter": {"state": "OK"}}
MONTHS = "options.older_than_months"
FAILED = {"filter": {"state": "FAILED"}}
HUGE = 2**63


def _archive(row: str, answer: str, *says: str, **options: object):
    return case(row, JOBS, answer, *says, role="admin", body=ARCHIVE | {"options": options})


def _restart(row: str, answer: str, *says: str, **body: object):
    return case(row, JOBS, answer, *says, body=RESTART | body)


def _not_an_option(row: str, *names: str):
    return [_archive(row, f"400 options.{name}:{UNKNOWN}", **{name: 1}) for name in names]


CASES = [
    case("J01", JOBS, "400 kind:required", body={}),
    *(
        case("J02", JOBS, "400 kind:invalid_value", body={"kind": kind, "reason": "r"})
        for kind in ("archiv", "ARCHIVE")
    ),
    case("J03", JOBS, "403 permission_denied", body=ARCHIVE),
    case("J03", JOBS, "403 permission_denied", body=RESTART | FAILED, role="support"),
    _archive("J04", f"400 options.oder_than_months:{UNKNOWN}", "older_than_months", oder_than_months=2),
    case("J05", JOBS, "202", '"older_than_months":2', body=ARCHIVE, role="admin"),
    *(_archive("J06", f"400 {MONTHS}:{RANGE}", older_than_months=value) for value in (0, -1)),
    *(_archive("J06", f"400 {MONTHS}:{INVALID}", older_than_months=value) for value in (None, "", [])),
    *(
        case("J06", JOBS, f"400 confirmed:{code}", role="admin", body=ARCHIVE | {"confirmed": value})
        for value, code in ((-1, RANGE), (HUGE, RANGE), ("12", INVALID), (True, INVALID))
    ),
    _archive("J08", f"400 {MONTHS}:{RANGE}", older_than_months=100_000_000),
    *(_archive("J09", f"400 {MONTHS}:{INVALID}", older_than_months=v) for v in (60.5, "60", True, "sixty")),
    *(
        case("J10", JOBS, "400 malformed_json", role="admin", body=raw)
        for raw in (
            b'{"kind": "archive", "reason": "r", "options": {"older_than_months": 1e400}}',
            b'{"kind": "archive", "reason": "r", "options": {"older_than_months": NaN}}',
        )
    ),
    *_not_an_option("J11", "before"),
    *_not_an_option("J12", "older_than_days", "before"),
    _restart(
        "J13", f"400 filter.receive_timestamp_to:{INVALID}", filter={"receive_timestamp_to": "2026-11-21"}
    ),
    _restart("J14", "400 filter.state:required", filter={"state": []}),
    case(
        "J15",
        JOBS,
        "400 filter.state:invalid_value",
        role="admin",
        body=ARCHIVE | {"filter": {"state": ["PROCESSING"]}},
    ),
    _restart("J16", "202", '"state":"FAILED"', filter={"state": ["FAILED", "FAILED"]}),
    _restart("J17", "202", filter={"state": "FAILED"}),
    *_not_an_option("J18", "batch_size"),
    *_not_an_option("J19", "chunk_pause"),
    *_not_an_option("J20", "max_rows"),
    *_not_an_option("J21", "partitions"),
    _restart("J22", "400 filter:required", filter={}),
    _restart("J22", "400 filter:required"),
    _restart("J23", "400 filter.zzz:unknown_parameter", filter={"zzz": 1}),
    _restart("J24", "202", filter={"service_name": "nobody"}),
    _restart("J26", "400 ids:unknown_field", **FAILED, ids=[1, 2]),
    _restart("J27", "400 filter.ids:unknown_parameter", filter={"ids": list(range(100_001))}),
    case("J27", JOBS, "413 body_too_large", body=b'{"kind": "' + b"x" * 2_700_000 + b'"}'),
    _restart("J31", "400 filter.parent_msg_id:out_of_range", filter={"parent_msg_id": HUGE}),
    *(
        _restart("J31", f"400 filter.parent_msg_id:{code}", filter={"parent_msg_id": value})
        for value, code in ((-HUGE - 1, RANGE), ("abc", INVALID), (None, INVALID))
    ),
    *(case("J32", JOBS, "400 kind:invalid_value", body=RESTART | {"kind": k}) for k in ("delete", "DROP")),
    *(_restart("J37", "400 dry_run:invalid_value", **(FAILED | {"dry_run": v})) for v in ("true", 1)),
    case("J38", JOBS, "403 permission_denied", body=RESTART | FAILED, role="support"),
    *_not_an_option("J44", "start_at"),
    *(_restart("J45", "400 name:unknown_field", **FAILED, name=name) for name in ("", "x" * 300, "../../x")),
    case("J46", JOBS, "202", body=RESTART | FAILED | {"reason": "<script>alert(1)</script>"}),
    *_not_an_option("J47", "output_path"),
    *(
        _archive("J47", f"400 options.to:{INVALID}", to=v)
        for v in ("/etc/passwd", "../x", "s3a://evil", "file:///")
    ),
    *_not_an_option("J48", "table"),
    *_not_an_option("J49", "where"),
    *_not_an_option("J50", "jdbc_url", "spark_conf"),
    case("J51", JOBS, "403 permission_denied", body=EXPORT | {"options": {"payload": True}}, role="masked"),
    *(
        case("J52", JOBS, "400 options.format:invalid_value", body=EXPORT | {"options": {"format": v}})
        for v in ("exe", "parquet;rm", 5, None)
    ),
    case(
        "J53", JOBS, "400 options.compression:unknown_field", body=EXPORT | {"options": {"compression": "z"}}
    ),
    *_not_an_option("J54", "notify"),
    *_not_an_option("J55", "notify"),
    *_not_an_option("J56", "notify"),
    *_not_an_option("J57", "priority"),
    case(
        "J60",
        JOBS,
        "202",
        '"job_id":{job_id}',
        headers={"Idempotency-Key": "k"},
        after=((JOBS, RESTART | FAILED),),
        body=RESTART | FAILED,
    ),
    case("J61", "POST jobs/{job_done}/stop/", "409 state_conflict", "current_state", body={"reason": "r"}),
    case(
        "J62",
        "POST jobs/{job_running}/stop/",
        "200",
        after=(("POST jobs/{job_running}/stop/", {"reason": "r"}),),
        body={"reason": "r"},
    ),
    case("J63", "POST jobs/{job_running}/resume/", "409 state_conflict", body={"reason": "r"}),
    *(
        case("J64", f"POST jobs/{text}/stop/", "404 not_found", body={"reason": "r"})
        for text in ("abc", "-1", "9" * 30, "1.5", "{unknown}")
    ),
    case("J65", "GET jobs/{job_running}/", "200", '"state":"running"'),
    *(
        case("J66", f"GET jobs/{{job_done}}/items/?{query}", "400")
        for query in ("outcome=zzz", "outcome=", "status=zzz")
    ),
    case("J67", "GET jobs/{job_export}/download/", "403|404", role="other"),
    *(
        case("J73", JOBS, "400 reason:required", body=RESTART | FAILED | {"reason": v})
        for v in ("", "  ", None)
    ),
    case("J73", JOBS, "400 reason:too_long", body=RESTART | FAILED | {"reason": "r" * 1001}),
    case("J73", JOBS, "400 reason:invalid_value", body=b'{"kind": "restart", "reason": "a\\u0000"}'),
    case("J74", "POST jobs/{unknown}/undo/", "404 not_found", role="admin", body={"reason": "r"}),
]

_CRON = "messages_app/jobs/schedules/test_times.py::"
_COMMANDS = "messages_app/management/test_job_commands.py::"
_STARTING = "messages_app/jobs/views/create/test_views.py::TestStarting::"
SECTION = Section(
    prefix="J",
    count=75,
    cases=CASES,
    elsewhere={
        "J29": "messages_app/jobs/drivers/test_transitions.py::TestRetry::test_names_messages_that_no_longer",
        "J33": "messages_app/jobs/drivers/test_transitions.py::TestRestart::test_gives_the_reason_for_each",
        "J34": f"{_STARTING}test_requires_another_preview_if",
        "J35": f"{_STARTING}test_requires_the_number_typed_for_a_large_set",
        "J36": f"{_STARTING}test_requires_another_preview_after_a_while",
        "J39": f"{_CRON}TestCronFault::test_names_the_column_at_fault",
        "J40": f"{_CRON}TestCronFault::test_refuses_a_line_that_runs_too_often",
        "J41": f"{_CRON}TestCronFault::test_refuses_a_line_that_never_runs",
        "J42": f"{_CRON}TestNextRun::test_is_an_hour_later_if_the_clocks_skip_it",
        "J43": f"{_CRON}TestZoneFault::test_refuses_an_unknown_zone",
        "J58": "messages_app/jobs/api/test_views.py::TestJobListView::test_refuses_a_second_archive_job",
        "J59": "messages_app/jobs/drivers/test_transitions.py::TestRestart::test_skips_a_message_that",
        "J68": f"{_COMMANDS}TestJobCommand::test_refuses_arguments_that_it_does_not_know",
        "J69": f"{_COMMANDS}TestJobCommand::test_reports_in_one_line_which_job_is_not_finished",
        "J70": f"{_COMMANDS}TestExitStatus::test_is_1_if_the_database_is_down",
        "J71": "messages_app/jobs/schedules/test_tasks_run.py::TestRunSchedule::test_does_nothing_without_a",
        "J72": "messages_app/jobs/validation/test_stored.py::Test",
    },
    not_offered={
        "J07": "no minimum age: an archive job takes only final families, whatever their age",
        "J25": "a job may be of any size (docs/reference/jobs.md); its preview says how large it is",
        "J28": "a job has a filter, no ids; a message is in its set once (a primary key)",
        "J30": "users who may see messages see all rows: permissions are by role, not by row",
        "J75": "no job erases",
    },
)
