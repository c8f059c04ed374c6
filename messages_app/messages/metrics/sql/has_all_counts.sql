-- One row: whether the totals and the pending changes count every message: no statement of the hub is missing, the changes
-- are not too many to add here, and the messages from before the attachment were counted.
SELECT NOT EXISTS (SELECT FROM trigger_gap WHERE area = 'messages')
       AND NOT EXISTS (SELECT FROM message_change OFFSET %(fence)s)
       AND (NOT %(is_attached)s::boolean OR EXISTS (SELECT FROM rollup_pass WHERE name = 'recount'))
