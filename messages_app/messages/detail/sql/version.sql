-- One row: a short text that changes whenever the page of a message shows something new about it. Every part is read
-- by an index: the newest rows of its history, log and jobs, its calls and requests, and the states of its family.
SELECT md5(concat_ws('|',
         (SELECT concat_ws('/', 'live', state, failed_count, last_process_timestamp, start_process_timestamp)
            FROM message WHERE msg_id = %(msg_id)s),
         (SELECT concat_ws('/', 'archived', last_process_timestamp) FROM archive_message WHERE msg_id = %(msg_id)s),
         (SELECT event_id FROM message_event WHERE msg_id = %(msg_id)s ORDER BY event_id DESC LIMIT 1),
         (SELECT entry_id FROM audit_entry WHERE msg_id = %(msg_id)s ORDER BY entry_id DESC LIMIT 1),
         (SELECT concat_ws('/', job.job_id, job.state)
            FROM job_item JOIN job ON job.job_id = job_item.job_id
           WHERE job_item.msg_id = %(msg_id)s ORDER BY job_item.job_id DESC LIMIT 1),
         (SELECT msg_id FROM resent_message WHERE original_id = %(msg_id)s),
         (SELECT string_agg(concat_ws('/', call_id, state, failed_count), ',')
            FROM (SELECT call_id, state, failed_count FROM external_call
                   WHERE msg_id = %(msg_id)s ORDER BY call_id DESC LIMIT %(most)s) AS newest),
         (SELECT req_id FROM request WHERE msg_id = %(msg_id)s ORDER BY req_id DESC LIMIT 1),
         (SELECT parent.state FROM message
            JOIN message AS parent ON parent.msg_id = message.parent_msg_id WHERE message.msg_id = %(msg_id)s),
         (SELECT string_agg(concat_ws('/', msg_id, state), ',')
            FROM (SELECT msg_id, state FROM message
                   WHERE parent_msg_id = %(msg_id)s ORDER BY msg_id LIMIT %(children)s) AS children)))
