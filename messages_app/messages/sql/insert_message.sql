-- One row, the id of the new message, if neither its id nor its correlation id was there at the moment of the
-- write; else none. A given id that is in the archive counts as there: a restore would bring it back.
INSERT INTO message (msg_id, {columns})
SELECT coalesce((%(msg_id)s)::bigint, nextval('hibernate_sequence')), {values}
 WHERE NOT EXISTS (SELECT FROM archived_relative WHERE msg_id = (%(msg_id)s)::bigint)
ON CONFLICT DO NOTHING
RETURNING msg_id
