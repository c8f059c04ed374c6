-- Before polling begins, no message is counted: each is as soon as it is compared.
DELETE FROM message_total
