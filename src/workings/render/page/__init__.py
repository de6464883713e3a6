"""What an HTML page consists of besides its document: style, script, words, and KaTeX, which the build puts here."""
