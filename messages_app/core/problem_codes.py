"""
The codes of error answers: the only list, for the API description and the reference of the manual. A test
compares it with the codes that the code uses.

Codes can be added, but not renamed. Source: docs/contributing/spec/interfaces.md, "Rules of the API".
"""

from typing import NamedTuple


class ProblemCode(NamedTuple):
    """
    Markdown about one code with one status, for a page in docs/reference.

    Args:
        remedy: the advice to a caller; empty: it follows from the meaning.
    """

    status: int
    code: str
    meaning: str
    remedy: str = ""


PROBLEM_CODES = (
    ProblemCode(
        308,
        "missing_slash",
        "nothing was done: the address in `Location` ends with a slash",
        "send the same request there; many clients do it automatically",
    ),
    ProblemCode(
        308,
        "tls_required",
        "nothing was done: the address in `Location` begins with `https`",
        "send the same request there; many clients do it automatically",
    ),
    ProblemCode(
        400,
        "malformed_json",
        "not JSON, a repeated name, or a number that JSON does not allow; with line and column",
        "send strict JSON",
    ),
    ProblemCode(400, "too_deep", "nested deeper than 50"),
    ProblemCode(400, "invalid_encoding", "body or query string is not UTF-8"),
    ProblemCode(400, "unknown_parameter", "an unknown parameter of the address, with the closest known one"),
    ProblemCode(400, "unknown_field", "an unknown member of the body, with the closest known one"),
    ProblemCode(400, "ambiguous_parameter", "given more than once"),
    ProblemCode(400, "required", "missing, empty or null"),
    ProblemCode(400, "invalid_value", "wrong type, or not one of the allowed values"),
    ProblemCode(400, "out_of_range", "a number or time outside the bounds, which the text names"),
    ProblemCode(400, "too_long", "a text longer than the limit, which the text names"),
    ProblemCode(400, "too_many", "more values than the limit, which the text names"),
    ProblemCode(
        400,
        "not_well_formed",
        "a [corrected payload](../howto/correct_and_resend.md) is not well-formed XML or JSON",
        "correct it",
    ),
    ProblemCode(
        400,
        "other_type",
        "a [corrected payload](../howto/correct_and_resend.md) is of another type than the original",
        "correct it",
    ),
    ProblemCode(
        400,
        "masked",
        "a [corrected payload](../howto/correct_and_resend.md) has masked values",
        "enter the real values",
    ),
    ProblemCode(
        400,
        "unchanged",
        "a [corrected payload](../howto/correct_and_resend.md) is the same as the original",
        "correct it",
    ),
    ProblemCode(
        400,
        "not_supported",
        "a header `If-Match` or `If-None-Match` that this call does not check",
        "send `expected_state` in the body where the call takes it",
    ),
    ProblemCode(
        400,
        "not_allowed",
        "a new token would have more permissions than its owner",
        "request fewer",
    ),
    ProblemCode(400, "duplicate", "the name is taken"),
    ProblemCode(
        400,
        "ambiguous",
        (
            "the value matches two records: GUIDs of CP messages that differ only in case ([how a GUID is"
            " spelled](../contributing/spec/cp_queue.md#spelling-of-guids))"
        ),
        "use the stored spelling",
    ),
    ProblemCode(
        400,
        "unknown_host",
        "the console does not serve this host name",
        "add it to `DJANGO_ALLOWED_HOSTS`",
    ),
    ProblemCode(400, "bad_request", "the request itself is invalid"),
    ProblemCode(401, "not_authenticated", "no token, or an unknown one", "send `Authorization: Bearer ...`"),
    ProblemCode(401, "token_expired", "the token has expired", "create another: `manage.py create_token`"),
    ProblemCode(401, "token_revoked", "the token was revoked", "create another: `manage.py create_token`"),
    ProblemCode(
        403,
        "permission_denied",
        (
            "the token's user has no role that allows it; or, with a member `scope`, the token lacks that"
            " scope ([scopes](scopes.md)); the refusal is in the audit log"
        ),
        "with `scope`: create a token that has it",
    ),
    ProblemCode(
        403,
        "second_factor_required",
        "the session belongs to a user without a second factor, of whom one is required",
        "[set it up](second_factor.md); tokens need none",
    ),
    ProblemCode(403, "csrf_failed", "a session without the `X-CSRFToken` header"),
    ProblemCode(
        403,
        "password_required",
        "a session requests a job so large that the page asks for the password, or a new token",
        "start it on the page, or with a token",
    ),
    ProblemCode(
        403,
        "reveal_required",
        (
            "a session with `view_payload` searches, exports or downloads payloads without having given a"
            " reason"
        ),
        "give a reason at `/reveal/` ([sessions](sessions.md#masked-values)), or call with a token",
    ),
    ProblemCode(
        403,
        "not_attached_for_this",
        "the console lacks rights on the tables of the attached hub",
        "give the owner of the tables the `GRANT` statements in `detail`",
    ),
    ProblemCode(404, "not_found", "no such address, or no row with this id"),
    ProblemCode(
        405,
        "method_not_allowed",
        (
            "`Allow` names the methods of this address, `addresses` the nearest addresses that support the"
            " method"
        ),
        "send it to one of them",
    ),
    ProblemCode(406, "not_acceptable", "the address answers JSON only"),
    ProblemCode(
        409,
        "no_passkey",
        "the user has no [passkey](second_factor.md#passkeys) for this host of the console",
        "enter a code, or open the host that the page names",
    ),
    ProblemCode(
        409,
        "state_conflict",
        "the state does not allow it: `current_state`",
        "check the state and decide again",
    ),
    ProblemCode(
        409,
        "already_resent",
        "the message was corrected and resent before: `resent_as`",
        "open the new message, or restart the original with `also_resent`",
    ),
    ProblemCode(
        409,
        "approval_required",
        "a second person must approve every corrected payload (`HUBCONSOLE_RESEND_GUARD`)",
        "create a job of kind `resend`",
    ),
    ProblemCode(
        409,
        "refused_by_hub",
        "a constraint or trigger of the hub's table refused the corrected message; nothing was changed",
        "ask the owner of the hub's tables",
    ),
    ProblemCode(409, "archived", "it is in the archive", "restore it first"),
    ProblemCode(409, "in_job", "an active job has the message: `job_id`", "wait for the job, or stop it"),
    ProblemCode(409, "already_running", "another job of the kind is not finished: `job_id`"),
    ProblemCode(
        409,
        "not_attached_for_this",
        "the console is attached to a running hub, where it cannot do this",
        "see [what works](../howto/attach.md#what-works)",
    ),
    ProblemCode(
        409,
        "in_progress",
        "the first request with this Idempotency-Key is still being processed",
        "repeat after Retry-After",
    ),
    ProblemCode(
        409,
        "lease_lost",
        "the token does not match the current reservation or processing",
        "discard the work",
    ),
    ProblemCode(
        409,
        "content_conflict",
        "the history has this UUID with another content",
        "have a person check it",
    ),
    ProblemCode(
        409,
        "export_space",
        "export files have reached their limit (`HUBCONSOLE_EXPORT_MB`)",
        "wait until old files are removed",
    ),
    ProblemCode(410, "gone", "the file of an export has expired", "start the export again"),
    ProblemCode(411, "length_required", "a body without Content-Length"),
    ProblemCode(
        412,
        "precondition_failed",
        (
            "the state is not `expected_state`: see `current_state`; or `If-Match` does not match: the"
            " header `ETag` has the current tag"
        ),
        "check the state and decide again",
    ),
    ProblemCode(413, "body_too_large", "more than 2.5 MB; for policy reports, more than 64 kB"),
    ProblemCode(414, "address_too_long", "the request line has more than 8190 bytes", "use a shorter filter"),
    ProblemCode(
        415,
        "unsupported_media_type",
        "not `application/json`, an unknown charset, or a `Content-Encoding` such as `gzip`",
        "send uncompressed JSON in UTF-8",
    ),
    ProblemCode(
        422,
        "idempotency_key_reused",
        "the key was used for another request",
        "use a new key for each intended action",
    ),
    ProblemCode(
        429,
        "rate_limited",
        "the token's requests of this minute are used up; for pages, those of the user or address",
        "repeat after Retry-After",
    ),
    ProblemCode(
        429,
        "too_many_jobs",
        "the user has too many jobs that have not ended (`HUBCONSOLE_JOBS_PER_USER`)",
        "wait for one, or stop one",
    ),
    ProblemCode(431, "headers_too_large", "more than 100 headers, or one of more than 8190 bytes"),
    ProblemCode(500, "internal_error", "a defect of the console, logged under `request_id`", "report it"),
    ProblemCode(
        503,
        "suspended",
        "the hub's tables are being changed (`attach --suspend`); nothing was changed",
        "repeat after `attach --resume`",
    ),
    ProblemCode(
        503,
        "database_permission",
        (
            "the console's database role lacks a right, for example because it was just revoked; nothing"
            " was changed"
        ),
        "`doctor` names the right; repeat when it is granted",
    ),
    ProblemCode(
        503,
        "database_unavailable",
        "the database cannot be reached; nothing was changed",
        "repeat after Retry-After",
    ),
    ProblemCode(
        503,
        "history_unavailable",
        "the document history cannot be reached; nothing was decided or changed",
        "repeat after Retry-After",
    ),
    ProblemCode(
        503,
        "trigger_suspended",
        "the document trigger waits for its resolver; no decision",
        "repeat later",
    ),
    ProblemCode(503, "row_busy", "the row is locked; nothing was changed", "repeat after Retry-After"),
    ProblemCode(
        503,
        "query_too_slow",
        "the query exceeded its time limit",
        "narrow the filter or the time range",
    ),
    ProblemCode(
        503,
        "time_limit",
        (
            "the request took longer than `HUBCONSOLE_REQUEST_SECONDS` and was ended; uncommitted changes"
            " are undone. A commit that waits for [a replica](../howto/database_failover.md) is kept"
        ),
        "narrow it, or request less at a time; repeat a change with the same `Idempotency-Key`",
    ),
    ProblemCode(
        503,
        "archive_unreadable",
        "a file of the Parquet archive is missing, damaged or out of reach",
        "put the file back, or check the storage",
    ),
    ProblemCode(
        503,
        "storage_away",
        "the storage of export files does not answer or refuses",
        "check its address and credentials ([object store](../howto/object_store.md#faults))",
    ),
)
