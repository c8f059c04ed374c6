-- Files are written and read while the transaction is open: longer than one that only moves rows may be idle.
SET LOCAL idle_in_transaction_session_timeout = '10min'
