-- One open line for a document with a UUID; each document without one gets a line of its own.
INSERT INTO document_in_doubt AS line
       (trigger_id, document_uuid, identifier, document_name, redelivery_count, rule, message, document,
        deliveries, received_at, last_received_at, state, resolved_by, reason, taken_by)
VALUES (%(trigger_id)s, %(uuid)s, %(identifier)s, %(document_name)s, %(redelivery_count)s, %(rule)s,
        %(message)s, %(document)s::jsonb, 1, clock_timestamp(), clock_timestamp(), 'open', '', '',
        '')
ON CONFLICT (trigger_id, document_uuid) WHERE state = 'open' AND NOT document_uuid = '' DO UPDATE
   SET deliveries = line.deliveries + 1,
       last_received_at = clock_timestamp(),
       redelivery_count = excluded.redelivery_count,
       rule = excluded.rule,
       message = excluded.message,
       document = coalesce(excluded.document, line.document)
RETURNING in_doubt_id
