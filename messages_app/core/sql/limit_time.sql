-- Sets the time limit of the statements of this transaction, and returns the previous one. OFFSET keeps the order.
SELECT before, set_config('statement_timeout', %(limit)s, true)
  FROM (SELECT current_setting('statement_timeout') AS before OFFSET 0) AS kept
