-- Inserts the durations of messages, with their columns in this order.
COPY message_took (minute, service_name, step, messages) FROM STDIN
