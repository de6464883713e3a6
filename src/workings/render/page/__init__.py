"""The pieces of an HTML page: tags, fields, the frame with style and scripts, and KaTeX, which the build puts here."""
