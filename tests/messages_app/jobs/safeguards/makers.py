"""The error for an owner who has lost the permission."""

NO_RESTART = "Its creator ada no longer has the permission messages_app.restart_message."
