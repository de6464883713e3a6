"""Practice: numbers to work with, entries to ask for, and what may be wrong with the answers."""
