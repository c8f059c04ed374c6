SELECT msg_id
FROM (
    SELECT msg_id, service_name, state
    FROM message
    -- Rows are compared and ordered by both columns, so that no other index will do: by msg_id alone the
    -- search would walk past every message that came after the operation's last one.
    WHERE (operation_name, msg_id) > (%(operation_name)s, %(above)s)
      AND (operation_name, msg_id) < (%(operation_name)s, %(below)s)
    ORDER BY operation_name DESC, msg_id DESC
    LIMIT %(most)s
) AS near
-- Lazy: this stops at the first row that fits.
WHERE service_name = %(service_name)s AND state = %(state)s
LIMIT 1
