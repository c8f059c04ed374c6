from messages_app.core.sections import make_sections


class TestSections:
    def test_marks_the_current_one_and_begins_where_asked(self):
        titles = {"cp-queues": "Queues", "cp-messages": "Messages"}
        found = make_sections(titles, current="cp-messages", beginnings={"cp-queues": "?after=A"})
        assert [(one.text, one.query, one.is_on) for one in found] == [
            ("Queues", "/cp-queue/?after=A", False),
            ("Messages", "/cp-queue/messages/", True),
        ]
