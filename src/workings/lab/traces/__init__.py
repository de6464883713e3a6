"""Which trace is asked for, what it costs, and the traces that the lab keeps."""
