-- One row per request of the given ids that is in the archive tables, belongs to no message, and is not live;
-- locked.
SELECT req_id
  FROM archive_request
 WHERE req_id = ANY (%(ids)s)
   AND msg_id IS NULL
   AND NOT EXISTS (SELECT FROM request WHERE request.req_id = archive_request.req_id)
 ORDER BY req_id
   FOR UPDATE SKIP LOCKED
