"""A store that there is not, as its package would be: registered in a test, it must be found everywhere."""
