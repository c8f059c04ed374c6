-- The requests, of the given ids, with a time that no Parquet file can keep, in them or in their responses. Infinite
-- times can be kept. A hub's own time can differ from the one here by the offset of its zone.
SELECT req_id
  FROM request
 WHERE req_id = ANY (%(ids)s)
   AND (isfinite(req_timestamp) AND (req_timestamp < '0001-01-02Z' OR req_timestamp >= '9999-12-31Z')
        OR EXISTS (SELECT
                     FROM response
                    WHERE response.req_id = request.req_id
                      AND isfinite(res_timestamp)
                      AND (res_timestamp < '0001-01-02Z' OR res_timestamp >= '9999-12-31Z')))
