-- As subject, for messages that `filling` has archived, which are without children.
UPDATE archive_message
   SET object_id = %(subject)s, payload = document.payload, envelope = document.envelope
  FROM (SELECT i, i * (%(messages)s * 9 / 10 / %(wanted)s) / 150 * 150 + 50 * %(nth)s + 25 AS n
          FROM generate_series(1, %(wanted)s::bigint) AS i) AS chosen
  JOIN message AS document ON document.msg_id = %(after)s + (1 + i %% %(families)s) * %(ids)s::bigint
 WHERE archive_message.msg_id = (%(messages)s + 10 + n) * %(ids)s::bigint
