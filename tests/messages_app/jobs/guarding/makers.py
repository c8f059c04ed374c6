"""What is said of a maker who lost the right."""

NO_RESTART = "Its maker ada may no longer make such a job: the right messages_app.restart_message is missing."
