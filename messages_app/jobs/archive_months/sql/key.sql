-- One row: the column of a table's primary key.
SELECT attname
  FROM pg_index
  JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
 WHERE indrelid = to_regclass(%(table)s)
   AND indisprimary
