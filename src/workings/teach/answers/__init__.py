"""What people answer: numbers, matrices and other kinds as they write them, one by one or in a file."""
