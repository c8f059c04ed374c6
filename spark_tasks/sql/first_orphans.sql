-- One row: the time of the first request, and of the first response, that belong to no message: the ends of
-- two indexes.
SELECT (SELECT min(req_timestamp) FROM request WHERE msg_id IS NULL),
       (SELECT min(res_timestamp) FROM response WHERE req_id IS NULL)
