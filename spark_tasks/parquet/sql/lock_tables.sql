-- Held until the transaction ends: nobody changes the columns of these tables meanwhile.
LOCK TABLE {tables} IN ROW EXCLUSIVE MODE
