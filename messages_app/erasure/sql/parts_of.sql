-- One row per message of the given ids and part of the Parquet archive that may have it: the part that it is
-- in, and the part that it was restored from, because the file of that part is kept.
SELECT part_id, msg_id
  FROM cold_message
 WHERE msg_id = ANY (%(ids)s)
UNION
SELECT part.part_id, item.msg_id
  FROM job_item AS item
  JOIN cold_part AS part ON part.job_id = item.job_id AND part.chunk_no = item.chunk_no
 WHERE item.msg_id = ANY (%(ids)s)
   AND part.content = 'messages'
   AND EXISTS (SELECT FROM cold_file AS file WHERE file.part_id = part.part_id)
