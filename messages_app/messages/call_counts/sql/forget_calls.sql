-- Forgets calls that no later pass counts again: they have succeeded, and changed before `kept_from`.
DELETE FROM counted_call
 WHERE call_id IN (SELECT call_id
                     FROM counted_call
                    WHERE state = 'OK' AND updated_at < %(kept_from)s AND call_id <= %(safe)s
                    ORDER BY updated_at
                    LIMIT %(most)s)
