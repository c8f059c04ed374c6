from messages_app.core.sections import make_sections


class TestSections:
    def test_marks_the_current_one_and_begins_where_asked(self):
        titles = {"cp-queues": "Queues", "cp-messages": "Messages"}
        found = make_sections(
            titles,
            current="cp-messages",
            beginnings={"cp-queues": "?after=A"},
            path="/cp-queue/messages/",
        )
        assert [(one.text, one.query, one.is_on, one.is_above) for one in found] == [
            ("Queues", "/cp-queue/?after=A", False, False),
            ("Messages", "/cp-queue/messages/", True, False),
        ]

    def test_marks_the_section_above_the_page_of_an_object(self):
        titles = {"cp-queues": "Queues", "cp-messages": "Messages"}
        path = "/cp-queue/messages/0A/"
        found = make_sections(titles, current="cp-messages", beginnings={}, path=path)
        assert [one.is_above for one in found] == [False, True]
