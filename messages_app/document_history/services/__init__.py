"""
All writes to the document history: checks, completions, documents in doubt, sweeps and triggers.

Source: docs/contributing/spec/document_history.md; docs/contributing/spec/interfaces.md, "Document history";
docs/contributing/spec/promises.md, I-37 to I-44.
"""
