-- Takes the times that messages took, in this order of columns.
COPY message_took (minute, service_name, step, messages) FROM STDIN
