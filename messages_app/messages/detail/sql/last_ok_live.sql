SELECT msg_id
FROM (
    SELECT msg_id, service_name, state
    FROM message
    -- Compared and ordered by both columns, so that only their index fits. Ordered by msg_id alone, the
    -- search would scan every message after the last one of the operation.
    WHERE (operation_name, msg_id) > (%(operation_name)s, %(above)s)
      AND (operation_name, msg_id) < (%(operation_name)s, %(below)s)
    ORDER BY operation_name DESC, msg_id DESC
    LIMIT %(most)s
) AS near
-- The scan is lazy and stops at the first match.
WHERE service_name = %(service_name)s AND state = %(state)s
LIMIT 1
