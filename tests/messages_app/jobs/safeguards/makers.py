"""What is said of a maker who lost the right."""

NO_RESTART = "Its creator ada no longer has the permission messages_app.restart_message."
