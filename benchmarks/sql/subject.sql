-- Gives a subject `wanted` of the messages of `filling`, spread over all of them, and the long documents of the
-- messages of `families`. Each tenth has three children. The subjects differ in `nth`, from 0 to 2.
WITH chosen AS (
  SELECT n, row_number() OVER () AS i
    FROM (SELECT i * (%(messages)s * 9 / 10 / %(wanted)s) / 150 * 150 + 50 * %(nth)s
                 + CASE i %% 10 WHEN 0 THEN 0 ELSE 20 + i %% 25 END AS n
            FROM generate_series(1, %(wanted)s::bigint) AS i) AS spread
   -- This one has five thousand children.
   WHERE n <> %(messages)s / 2
)
UPDATE message
   SET object_id = %(subject)s, payload = document.payload, envelope = document.envelope
  FROM chosen
  JOIN message AS document ON document.msg_id = %(after)s + (1 + i %% %(families)s) * %(ids)s::bigint
 WHERE message.msg_id = n * %(ids)s::bigint
