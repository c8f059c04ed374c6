-- One row per synchronous request sent in [start, end) whose responses, if any, came before the cut-off.
-- Served by request_orphan_age_idx.
SELECT req_id
  FROM request
 WHERE msg_id IS NULL
   AND req_timestamp >= %(start)s
   AND req_timestamp < %(end)s
   AND coalesce((SELECT max(res_timestamp) FROM response WHERE response.req_id = request.req_id)
                < %(cutoff)s, true)
