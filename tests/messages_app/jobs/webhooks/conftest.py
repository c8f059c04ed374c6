from tests.messages_app.messages.alerts.conftest import receiver

__all__ = ["receiver"]
