-- One version for each record; of two messages with this effective time, the version of the later one stays.
INSERT INTO target_record AS record
       (entity, record_key, valid_from, data, source_message, message_timestamp)
SELECT entity, record_key, valid_from, data, source_message, message_timestamp
  FROM unnest(%(entities)s::text[], %(keys)s::text[], %(times)s::timestamptz[], %(data)s::jsonb[],
              %(identifiers)s::text[], %(message_timestamps)s::timestamptz[])
       AS given (entity, record_key, valid_from, data, source_message, message_timestamp)
ON CONFLICT (entity, record_key, valid_from) DO UPDATE
   SET data = excluded.data,
       source_message = excluded.source_message,
       message_timestamp = excluded.message_timestamp
 WHERE (record.message_timestamp, record.source_message)
       <= (excluded.message_timestamp, excluded.source_message)
   AND (record.source_message, record.data) IS DISTINCT FROM (excluded.source_message, excluded.data)
RETURNING source_message
