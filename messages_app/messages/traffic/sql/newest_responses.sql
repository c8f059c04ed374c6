-- The newest responses to requests since a time, up to the fence: the address of the request, whether the response
-- failed, and the seconds from request to response. Requests are looked up one by one: a join might read all of them.
-- Infinite times have no difference.
SELECT sent.uri, newest.failed,
       CASE WHEN isfinite(newest.res_timestamp) AND isfinite(sent.req_timestamp)
            THEN greatest(extract(epoch FROM newest.res_timestamp - sent.req_timestamp), 0)::float8 END
  FROM (SELECT req_id, failed, res_timestamp
          FROM response
         WHERE res_timestamp >= %(since)s
         ORDER BY res_timestamp DESC, res_id DESC
         LIMIT %(fence)s) AS newest
 CROSS JOIN LATERAL (SELECT uri, req_timestamp FROM request WHERE request.req_id = newest.req_id LIMIT 1) AS sent
