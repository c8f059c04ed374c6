-- The chosen rows of one table, locked until the transaction ends, because the same rows are deleted later.
COPY (SELECT {columns}
        FROM {live}
       WHERE {chosen}
         FOR UPDATE) TO STDOUT (FORMAT csv, ENCODING 'UTF8')
