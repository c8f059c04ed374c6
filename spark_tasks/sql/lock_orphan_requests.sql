-- One row per request of the given ids that still belongs to no message and has no young response.
SELECT req_id
  FROM request
 WHERE req_id = ANY (%(ids)s)
   AND msg_id IS NULL
   AND req_timestamp < %(cutoff)s
   AND coalesce((SELECT max(res_timestamp) FROM response WHERE response.req_id = request.req_id)
                < %(cutoff)s, true)
 ORDER BY req_id
   FOR UPDATE SKIP LOCKED
