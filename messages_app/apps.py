from django.apps import AppConfig


class MessagesAppConfig(AppConfig):
    name = "messages_app"
    verbose_name = "Hub"

    def ready(self) -> None:
        # It imports models, which cannot be imported before the apps are ready.
        from messages_app.access.usernames import reserve_names

        reserve_names()
