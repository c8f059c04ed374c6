-- One version for each record; of two messages with this effective time, the version of the later one stays.
INSERT INTO target_record AS record
       (entity, record_key, valid_from, data, source_message, message_timestamp)
SELECT given.entity, given.record_key, %(valid_from)s, given.data, %(identifier)s, %(message_timestamp)s
  FROM unnest(%(entities)s::text[], %(keys)s::text[], %(data)s::jsonb[]) AS given (entity, record_key, data)
ON CONFLICT (entity, record_key, valid_from) DO UPDATE
   SET data = excluded.data,
       source_message = excluded.source_message,
       message_timestamp = excluded.message_timestamp
 WHERE (record.message_timestamp, record.source_message)
       <= (excluded.message_timestamp, excluded.source_message)
   AND (record.source_message, record.data) IS DISTINCT FROM (excluded.source_message, excluded.data)
