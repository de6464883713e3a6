"""Writing a text token by token: how the next token is chosen, with and without a cache, and with several beams."""
