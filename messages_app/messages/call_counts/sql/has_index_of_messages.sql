-- One row: whether the hub's calls have an index that begins with the id of their message.
SELECT EXISTS (SELECT
                 FROM pg_index
                 JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
                WHERE indrelid = table_behind('external_call') AND indisvalid AND indpred IS NULL AND attname = 'msg_id')
