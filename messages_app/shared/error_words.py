"""
Words that decide what a name in an error text is: a slot that differs from message to message, or a cause.

They are in error_words.toml, all in lower case. Source: docs/reference/failure_groups.md, "What is kept".
"""

import tomllib
from importlib import resources

_TEXT = resources.files("messages_app.shared").joinpath("error_words.toml").read_text(encoding="utf-8")
_WORDS = {name: frozenset(words.split()) for name, words in tomllib.loads(_TEXT).items()}

BUSINESS_NOUNS = _WORDS["business_nouns"]
PERSON_NOUNS = _WORDS["person_nouns"]
TECHNICAL_NOUNS = _WORDS["technical_nouns"]
VALUE_NOUNS = _WORDS["value_nouns"]
CODE_WORDS = _WORDS["code_words"]
CODED_NOUNS = _WORDS["coded_nouns"]
CODE_KEYS = _WORDS["code_keys"]
FIELD_KEYS = _WORDS["field_keys"]
TEXT_KEYS = _WORDS["text_keys"]
GENERIC_CODES = _WORDS["generic_codes"]
GENERIC_WORDS = _WORDS["generic_words"]
NOT_NAMES = _WORDS["not_names"]
COMMON_WORDS = _WORDS["common_words"]
CODE_HEADS = _WORDS["code_heads"]
TEXT_HEADS = _WORDS["text_heads"]
FIELD_HEADS = _WORDS["field_heads"]
KEY_RESTS = _WORDS["key_rests"]
FIELD_RESTS = _WORDS["field_rests"]
LEGAL_FORMS = _WORDS["legal_forms"]
CURRENCIES = _WORDS["currencies"]
DAYS = _WORDS["days"]
UNITS = _WORDS["units"]
GERMAN_WORDS = _WORDS["german_words"]
# The names of the statuses of HTTP in texts, one a line.
STATUS_REASONS = frozenset(tomllib.loads(_TEXT)["status_reasons"].strip().splitlines())
STATUS_WORDS = _WORDS["status_words"]

# The names of the statuses, for titles.
STATUS_NAMES = {
    400: "Bad request",
    401: "Unauthorized",
    402: "Payment required",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    407: "Proxy authentication required",
    408: "Request timeout",
    409: "Conflict",
    410: "Gone",
    411: "Length required",
    412: "Precondition failed",
    413: "Request too large",
    414: "URI too long",
    415: "Unsupported media type",
    416: "Range not satisfiable",
    417: "Expectation failed",
    421: "Misdirected request",
    422: "Not processable",
    423: "Locked",
    424: "Failed dependency",
    425: "Too early",
    426: "Upgrade required",
    428: "Precondition required",
    429: "Too many requests",
    431: "Request headers too large",
    451: "Unavailable for legal reasons",
    500: "Internal server error",
    501: "Not implemented",
    502: "Bad gateway",
    503: "Service unavailable",
    504: "Gateway timeout",
    505: "HTTP version not supported",
    507: "Insufficient storage",
    508: "Loop detected",
    511: "Network authentication required",
    520: "Unknown error of the proxy",
    521: "Web server is down",
    522: "Connection timed out at the proxy",
    523: "Origin is unreachable",
    524: "Timeout at the proxy",
}
