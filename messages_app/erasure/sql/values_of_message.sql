-- One row per column of the messages' rows that may name a subject, in the places that a backup may have
-- restored.
SELECT unnest(ARRAY[object_id, process_id, correlation_id, funnel_value])
  FROM {table}
 WHERE msg_id = ANY (%(ids)s)
