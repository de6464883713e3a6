"""Text generation: one token after the other, with sampling, greedy decoding or beam search.

generate.py         the tokens that follow a prompt
sampling.py         how the next token is chosen: temperature, top-k, top-p, greedy
beams.py            beam search
reader.py           the logits of the next token, with and without a cache
stream.py           tokens as text while they are generated
generated_text.py   the text in a recorded generation, and its words along the axes of a step
generation_page.py  pages and tables on how the tokens were chosen
"""
