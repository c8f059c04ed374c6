-- One row per response of the given ids that is in the archive tables, names no request, and is not live;
-- locked.
SELECT res_id
  FROM archive_response
 WHERE res_id = ANY (%(ids)s)
   AND req_id IS NULL
   AND NOT EXISTS (SELECT FROM response WHERE response.res_id = archive_response.res_id)
 ORDER BY res_id
   FOR UPDATE SKIP LOCKED
