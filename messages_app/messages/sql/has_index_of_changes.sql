-- One row: whether an index of the hub's messages has the times of the last change first, as the view computes them.
SELECT EXISTS (
       SELECT
         FROM pg_index
        WHERE indrelid = table_behind('message')
          AND indisvalid
          AND indpred IS NULL
          AND strpos(pg_get_indexdef(indexrelid, 1, true), %(time)s) > 0
          AND pg_get_indexdef(indexrelid, 1, true) LIKE '%%, last_update_timestamp)%%')
