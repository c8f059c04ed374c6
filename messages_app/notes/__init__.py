"""
Notes of people on messages, incidents, jobs and shifts, with the users whom they name.

models, services, selectors  as in every store; the pages and the API are in `note_pages`
mentions                     names of users in a text
"""
