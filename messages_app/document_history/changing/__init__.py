"""What changes the document history and the console's notes about it; services.py names what others call."""
