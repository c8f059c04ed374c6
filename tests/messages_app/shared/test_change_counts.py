from messages_app.shared.change_counts import ChangeCounts
from messages_app.shared.job_states import SkipReason
from messages_app.shared.replacements import Correction
from messages_app.shared.value_spans import Span


def test_counts_of_tasks_add_up_with_the_first_message_as_the_example():
    one, two, total = ChangeCounts(), ChangeCounts(), ChangeCounts()
    before = "<a>1<b>2</b></a>"
    one.add_correction(9, Correction("x", before=before, spans=(Span(3, 4, "x"), Span(7, 8, "x"))))
    one.add_correction(8, Correction(None, SkipReason.UNCHANGED))
    two.add_correction(4, Correction("x", before=before, spans=(Span(7, 8, "x"),)))
    two.add_correction(5, Correction(None, SkipReason.ALREADY_RESENT))
    total.add_rows([*one.iterate_rows(), *two.iterate_rows()])
    assert total.as_report() == {
        "looked_at": 4,
        "changed": 2,
        "refused": {"unchanged": 1, "already_resent": 1},
        "kinds": [
            {"place": "a/b", "messages": 2, "example": 4},
            {"place": "a", "messages": 1, "example": 9},
        ],
        "hidden": 0,
    }
