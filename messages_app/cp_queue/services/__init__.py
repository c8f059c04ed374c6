"""
Every write to the CP queue.

Reservations do not expire: they last until a dispatch or a reset.

Source: docs/contributing/spec/cp_queue.md; docs/contributing/spec/interfaces.md, "CP queue";
docs/contributing/spec/promises.md, I-46 to I-52.
"""
