-- One row: the last id of a part of a table, by its primary key, and the ids of its rows with a text that contains one of
-- the words, in upper or lower case. NULL after the last part.
SELECT max(part.{id}),
       array_agg(part.{id}) FILTER (WHERE EXISTS (SELECT
                                                    FROM unnest(%(words)s::text[]) AS word
                                                   WHERE strpos(lower(concat_ws(' ', {texts})), lower(word)) > 0))
  FROM (SELECT * FROM {table} WHERE {id} > %(after)s ORDER BY {id} LIMIT %(most)s) AS part
