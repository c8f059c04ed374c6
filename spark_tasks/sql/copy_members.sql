-- Inserts messages with their groups, and the times of their failures.
COPY failure_member (msg_id, group_id, at) FROM STDIN (FORMAT csv)
