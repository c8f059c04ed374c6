-- One row: whether an index of the hub's messages has the times of the last change first, as the view computes them.
SELECT EXISTS (
       SELECT
         FROM pg_index
        WHERE indrelid = table_behind('message')
          AND indisvalid
          AND indpred IS NULL
          AND pg_get_indexdef(indexrelid, 1, true) LIKE 'timezone(%%last_update_timestamp)'
          AND position(quote_literal(%(zone)s) IN pg_get_indexdef(indexrelid, 1, true)) > 0)
