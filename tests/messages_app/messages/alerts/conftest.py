from tests.messages_app.core.deliveries.conftest import may_call_this_machine, name, product, receiver

__all__ = ["may_call_this_machine", "name", "product", "receiver"]
