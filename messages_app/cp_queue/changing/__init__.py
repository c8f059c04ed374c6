"""Every write to the CP queue. Called through services.py."""
