-- One row: whether an index of the hub's messages that has all FAILED ones begins with their state.
SELECT EXISTS (
       SELECT
         FROM pg_index
         JOIN pg_class AS index ON index.oid = indexrelid
         JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
        WHERE indrelid = table_behind('message')
          AND indisvalid
          AND attname = 'state'
          AND (indpred IS NULL OR starts_with(index.relname, 'hubc_message_state')))
