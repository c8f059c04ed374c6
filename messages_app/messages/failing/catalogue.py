"""
The hub's own error codes, as the catalogue has them from the start. Source: spec/cleverbus.md 2.10.

The hub says what they mean; what to do is ours, from what it says of retries, duplicates and repairs there.
"""

from typing import NamedTuple


class Known(NamedTuple):
    code: str
    description: str
    action: str


_LATER = "Restart once the cause is gone."

HUB_CODES = (
    Known("E100", "Unspecified error", "Read the error's first line; ask whoever owns the service."),
    Known("E101", "XML does not match its schema", "The source system must send it again, corrected."),
    Known("E102", "Validation failed", "The source system must send it again, corrected."),
    Known("E103", "Target system cannot be reached", f"See whether the target answers. {_LATER}"),
    Known("E104", "Trace header is missing", "The source system must send the trace header."),
    Known("E105", "Trace header is incomplete", "The source system must send the whole trace header."),
    Known("E106", "Message could not be stored", "Look for a message of the same correlation id first."),
    Known("E107", "No data found", f"The data must be in the target system first. {_LATER}"),
    Known("E108", "Several found where one was expected", "Put the data in the target system in order."),
    Known("E109", "Invalid data", "The source system must send it again, corrected."),
    Known("E110", "Mandatory element is missing", "The source system must send it again, complete."),
    Known("E111", "XML is not well-formed", "The source system must send it again, corrected."),
    Known("E112", "Record could not be locked", f"Somebody else had it, mostly for moments. {_LATER}"),
    Known("E113", "Invoice is missing", f"The invoice must be there first. {_LATER}"),
    Known("E114", "Throttled", "Too many requests at once: send more slowly, or raise the limit."),
    Known("E115", "File could not be stored", f"See whether the file store has room. {_LATER}"),
    Known("E116", "Stuck in processing", "A node may have stopped. Look what was sent before a restart."),
    Known("E117", "Access denied", f"Check the hub's user and its rights in the target system. {_LATER}"),
    Known("E118", "Extension is configured wrongly", f"Put the extension's settings right. {_LATER}"),
    Known("E119", "Rejected while the hub stopped", "Restart when the hub is up again."),
    Known("E120", "Trace identifier is not allowed", "Allow it, or have the source use another."),
    Known("E121", "Waited too long for its turn", "Clear what blocks the order, then restart."),
    Known("E122", "Configuration error", f"Put the hub's settings right. {_LATER}"),
    Known(
        "E123",
        "Circuit to the target is open",
        f"The target failed too often. {_LATER}",
    ),
)
