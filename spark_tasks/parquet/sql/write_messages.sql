-- One row per copied message: its part, and the columns that lists show, which are the ones that both tables
-- have.
INSERT INTO cold_message ({columns}, failed_summary, part_id)
SELECT {columns}, left(split_part(failed_desc, E'\n', 1), 200), %(part_id)s
  FROM message
 WHERE msg_id = ANY (%(ids)s)
