"""The time that a restart sets, so that the hub takes the message up some time later."""

# The argument "zone" is the time zone of an attached hub.
_OWN = "last_process_timestamp = clock_timestamp()"
# A view cannot write to last_process_timestamp, which it computes from this column of the hub.
_OF_HUB = "hub_last_update = timezone(%(zone)s, clock_timestamp())"


def restarting(text: str, *, zone: str | None) -> str:
    """
    Return a statement with its {stamp} replaced by the assignment of the time.

    Args:
        zone: the time zone of an attached hub; None for the console's own tables.
    """
    return text.replace("{stamp}", _OF_HUB if zone else _OWN)
