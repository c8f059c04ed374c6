-- As many rows as messages were copied: where each lies, and what lists show of it. The columns are those that both
-- tables have.
INSERT INTO cold_message ({columns}, failed_summary, part_id)
SELECT {columns}, left(split_part(failed_desc, E'\n', 1), 200), %(part_id)s
  FROM message
 WHERE msg_id = ANY (%(ids)s)
