from tests.messages_app.core.deliveries.conftest import receiver

__all__ = ["receiver"]
