-- The values of archived messages for which the archive tables of OpenHub 2 have no place, as the hub wrote them.
CREATE TABLE IF NOT EXISTS archive_extra (
  msg_id bigint PRIMARY KEY,
  node_id bigint,
  start_in_queue_timestamp timestamp
)
