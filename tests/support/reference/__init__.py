"""
`make reference`: writes the pages of docs/reference that have all their facts from the code. Each module
writes one page, from the only declaration of what it lists. A test compares the pages with the code.
"""
