-- Files are written and read during the transaction, so it may be idle longer than one that only moves rows.
SET LOCAL idle_in_transaction_session_timeout = '10min'
