-- Before polling begins, no message is counted: each is as soon as it is compared.
UPDATE message_rollup SET present = 0 WHERE present <> 0
