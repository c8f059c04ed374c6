-- The first lines of the errors of a list's rows: of live messages, of those in the archive's tables, and of those in
-- files, which have the line itself. The condition of each part is on its key.
SELECT false AS archived, msg_id, left(split_part(failed_desc, E'\n', 1), %(most)s)
  FROM message
 WHERE msg_id = ANY (%(live)s::bigint[]) AND failed_desc IS NOT NULL
 UNION ALL
SELECT true, msg_id, left(split_part(failed_desc, E'\n', 1), %(most)s)
  FROM archive_message
 WHERE msg_id = ANY (%(archived)s::bigint[]) AND failed_desc IS NOT NULL
 UNION ALL
SELECT true, msg_id, failed_summary
  FROM cold_message
 WHERE msg_id = ANY (%(archived)s::bigint[]) AND failed_summary IS NOT NULL
