"""The states that allow restart and cancel, and the results: written here, not read from the product."""

# By hub and action: the states that allow it. Source: docs/contributing/spec/cleverbus.md, "Restart and
# cancel".
ALLOWED = {
    ("cleverbus", "restart"): {"FAILED", "CANCEL"},
    ("cleverbus", "cancel"): {"NEW", "PARTLY_FAILED", "POSTPONED"},
    ("openhub", "restart"): {"FAILED", "CANCEL", "OK"},
    ("openhub", "cancel"): {
        "NEW",
        "IN_QUEUE",
        "PROCESSING",
        "WAITING",
        "WAITING_FOR_RES",
        "PARTLY_FAILED",
        "POSTPONED",
    },
}
LEADS_TO = {"restart": "PARTLY_FAILED", "cancel": "CANCEL"}
STATES = sorted(ALLOWED["openhub", "restart"] | ALLOWED["openhub", "cancel"])
