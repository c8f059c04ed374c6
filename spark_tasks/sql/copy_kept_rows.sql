-- One row per row stored in the hub's table, with the columns that its archive table lacks; the rows are still in the
-- archive. A message that the hub itself has archived has no such values.
INSERT INTO {archive} ({columns}, {kept})
SELECT {columns}, {kept}
  FROM {live}
  LEFT JOIN archive_extra USING (msg_id)
 WHERE {chosen}
