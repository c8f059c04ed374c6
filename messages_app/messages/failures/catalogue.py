"""
The hub's own error codes, as the catalogue has them from the start.

Source: docs/spec/cleverbus.md, "Error codes".

The hub says what they mean; what to do is ours, from what it says of retries, duplicates and repairs there.
"""

from typing import NamedTuple


class Known(NamedTuple):
    code: str
    description: str
    action: str


_LATER = "Restart after fixing the cause."

HUB_CODES = (
    Known("E100", "Unspecified error", "Read the first line of the error and ask the owner of the service."),
    Known("E101", "XML does not match its schema", "Ask the source system to send a corrected message."),
    Known("E102", "Validation failed", "Ask the source system to send a corrected message."),
    Known("E103", "Target system cannot be reached", f"Check whether the target system responds. {_LATER}"),
    Known("E104", "Trace header is missing", "Ask the source system to send the trace header."),
    Known("E105", "Trace header is incomplete", "Ask the source system to send the complete trace header."),
    Known("E106", "Message could not be stored", "First check for a message with the same correlation id."),
    Known("E107", "No data found", "Add the missing data to the target system, then restart."),
    Known(
        "E108",
        "Several records found where one was expected",
        "Remove the duplicate data from the target system, then restart.",
    ),
    Known("E109", "Invalid data", "Ask the source system to send a corrected message."),
    Known("E110", "Mandatory element is missing", "Ask the source system to send a complete message."),
    Known("E111", "XML is not well-formed", "Ask the source system to send a corrected message."),
    Known(
        "E112", "Record could not be locked", "Another process held the lock, usually for a moment. Restart."
    ),
    Known("E113", "Invoice is missing", "Restart after the invoice exists."),
    Known("E114", "Throttled", "Too many requests in a short time. Send more slowly or raise the limit."),
    Known("E115", "File could not be stored", f"Check the free space of the file store. {_LATER}"),
    Known(
        "E116",
        "Stuck in processing",
        "A node may have stopped. Check what was already sent before you restart.",
    ),
    Known("E117", "Access denied", f"Check the hub user's permissions in the target system. {_LATER}"),
    Known("E118", "Extension is misconfigured", "Correct the extension's settings, then restart."),
    Known("E119", "Rejected while the hub stopped", "Restart when the hub is running again."),
    Known(
        "E120",
        "Trace identifier is not allowed",
        "Allow the identifier, or ask the source system to use another.",
    ),
    Known("E121", "Waited too long for its turn", "Resolve the message that blocks the order, then restart."),
    Known("E122", "Configuration error", "Correct the hub's settings, then restart."),
    Known(
        "E123",
        "Circuit to the target is open",
        f"The target system failed too often. {_LATER}",
    ),
)
