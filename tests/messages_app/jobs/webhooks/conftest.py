from tests.messages_app.core.deliveries.conftest import may_call_this_machine, receiver

__all__ = ["may_call_this_machine", "receiver"]
