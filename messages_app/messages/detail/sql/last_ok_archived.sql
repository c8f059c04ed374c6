SELECT msg_id
FROM (
    SELECT msg_id, service_name, operation_name, state
    FROM archive_message
    -- The archive has no index on the operation, so its newest rows are searched.
    WHERE msg_id > %(above)s AND msg_id < %(below)s
    ORDER BY msg_id DESC
    LIMIT %(most)s
) AS near
WHERE operation_name = %(operation_name)s AND service_name = %(service_name)s AND state = %(state)s
LIMIT 1
