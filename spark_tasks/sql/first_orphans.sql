-- One row: of requests, and of responses, without a message: the time of the first, which is the end of an index,
-- and the number of old ones, up to a limit. They are counted in the order of an index, because PostgreSQL might
-- read the table for a limit without an order; the lower end is that of plan_bounds.
SELECT (SELECT min(req_timestamp) FROM request WHERE msg_id IS NULL),
       (SELECT count(*)
          FROM (SELECT
                  FROM request
                 WHERE msg_id IS NULL AND req_timestamp >= '-infinity' AND req_timestamp < %(cutoff)s
                 ORDER BY req_timestamp
                 LIMIT %(most)s) AS old),
       (SELECT min(res_timestamp) FROM response WHERE req_id IS NULL),
       (SELECT count(*)
          FROM (SELECT
                  FROM response
                 WHERE req_id IS NULL AND res_timestamp >= '-infinity' AND res_timestamp < %(cutoff)s
                 ORDER BY res_timestamp
                 LIMIT %(most)s) AS old)
