-- Both entries of each document of a service that came within the trigger's time to live, as its intake made them.
INSERT INTO document_history (trigger_id, document_uuid, status, time)
SELECT DISTINCT ON (message.correlation_id, made.status)
       own.trigger_id, message.correlation_id, made.status, message.receive_timestamp
  FROM document_trigger AS own,
       message,
       (VALUES ('processing'), ('completed')) AS made (status)
 WHERE own.trigger_id = %(trigger_id)s
   AND message.service_name = %(service)s
   AND message.parent_msg_id IS NULL
   AND message.receive_timestamp > now() - make_interval(secs => own.history_ttl_seconds)
   AND char_length(message.correlation_id) <= 96
 ORDER BY message.correlation_id, made.status DESC, message.receive_timestamp
