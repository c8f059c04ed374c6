-- The failures of messages that were moved to other groups no longer count for their old group.
UPDATE failure_group SET failures = failures - %(failures)s WHERE group_id = %(group_id)s
