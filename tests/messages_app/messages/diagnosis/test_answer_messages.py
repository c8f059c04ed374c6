from messages_app.messages.diagnosis.answer import messages


class TestMessages:
    def test_names_one_or_several(self):
        assert [messages([7]), messages([7, 8])] == ["message 7", "messages 7 and 8"]
