-- One row per request of the given ids that is live.
SELECT req_id FROM request WHERE req_id = ANY (%(ids)s)
