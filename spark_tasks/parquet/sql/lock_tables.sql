-- Locks the columns of these tables until the transaction ends.
LOCK TABLE {tables} IN ROW EXCLUSIVE MODE
