"""The hub's own error codes. Applications add their own codes.

Source: docs/contributing/spec/cleverbus.md, "Error codes".
"""

STUCK_IN_PROCESSING = "E116"


ORDER_NOT_MET = "E121"


_MEANINGS = {
    "E100": "unspecified error",
    "E101": "the XML does not match its schema",
    "E102": "validation failed",
    "E103": "communication with the target failed",
    "E104": "no trace header",
    "E105": "trace header incomplete",
    "E106": "the message could not be stored",
    "E107": "no data found",
    "E108": "several records found",
    "E109": "invalid data",
    "E110": "a mandatory element is missing",
    "E111": "the XML is not well-formed",
    "E112": "a record could not be locked",
    "E113": "the invoice is missing",
    "E114": "throttled",
    "E115": "a file could not be stored",
    STUCK_IN_PROCESSING: "stuck in PROCESSING",
    "E117": "access denied",
    "E118": "an extension is misconfigured",
    "E119": "the hub was stopping",
    "E120": "the trace id is not allowed",
    ORDER_NOT_MET: "waited too long in POSTPONED",
    "E122": "configuration error",
    "E123": "the circuit to the target is open",
}


def describe_code(code: str | None) -> str:
    """Write an error code with its meaning: E103 (communication with the target failed)."""
    if code is None:
        return "an error without a code"
    meaning = _MEANINGS.get(code)
    return f"{code} ({meaning})" if meaning else code
