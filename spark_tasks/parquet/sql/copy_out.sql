-- The chosen rows of one table, held until the transaction ends: they are what is deleted then.
SELECT {columns}
  FROM {live}
 WHERE {chosen}
   FOR UPDATE
