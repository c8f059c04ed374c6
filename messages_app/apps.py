from django.apps import AppConfig


class MessagesAppConfig(AppConfig):
    name = "messages_app"
    verbose_name = "Hub"

    def ready(self) -> None:
        from messages_app.access.usernames import reserve_names  # there are models now

        reserve_names()
