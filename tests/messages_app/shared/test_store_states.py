"""The statuses of the message store, against a hand-written table of the specification."""

import pytest

from messages_app.shared.store_states import (
    MEANINGS,
    NAMES,
    OUTCOMES,
    RELEASED_FROM,
    RETRIED_FROM,
    Status,
    class_of,
    effective_status,
    may_mute,
    may_reprocess,
    name_of,
)

# Code: name, class, and the actions of an operator: mute, reprocess, retry now, release stuck. "ends": an
# attempt can end in it.
TABLE = {
    None: ("not processed", "waiting", "mute"),
    -1: ("unknown -1", "unknown", "mute"),
    0: ("not processed", "waiting", "mute"),
    1: ("processing", "in_work", "release"),
    2: ("requires reprocessing", "waiting", "mute reprocess retry ends"),
    3: ("queued", "in_work", "release"),
    4: ("unknown 4", "unknown", "mute"),
    10: ("processed", "done", "reprocess ends"),
    11: ("unknown 11", "unknown", "mute"),
    19: ("unknown 19", "unknown", "mute"),
    20: ("general error", "error", "mute reprocess ends"),
    21: ("message not found", "error", "mute reprocess ends"),
    22: ("message invalid", "error", "mute reprocess ends"),
    23: ("system not found", "error", "mute reprocess ends"),
    24: ("entity not found", "error", "mute reprocess ends"),
    25: ("data invalid", "error", "mute reprocess ends"),
    26: ("reprocess timeout", "error", "mute reprocess ends"),
    27: ("error 27", "error", "mute reprocess"),
    999: ("error 999", "error", "mute reprocess"),
}


@pytest.mark.parametrize("code", TABLE)
def test_each_code_has_its_name_class_and_actions(code):
    actions = {
        "mute": may_mute(code),
        "reprocess": may_reprocess(code),
        "retry": code in RETRIED_FROM,
        "release": code in RELEASED_FROM,
        "ends": code in OUTCOMES,
    }
    allowed = " ".join(name for name, is_allowed in actions.items() if is_allowed)
    assert (name_of(code), class_of(code), allowed) == TABLE[code]


def test_a_missing_status_counts_as_not_processed():
    assert [effective_status(code) for code in (None, 0, 7, 26)] == [0, 0, 7, 26]


def test_each_known_status_has_a_name_and_a_meaning():
    assert set(NAMES) == set(MEANINGS) == set(Status)
    assert len(set(MEANINGS.values())) == len(Status)
