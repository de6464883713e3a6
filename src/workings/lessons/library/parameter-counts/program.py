"""Every parameter of a small decoder, counted from its shape."""

width = 4
hidden = 16
layers = 2
vocabulary = 6
longest = 5
context = 4  # tokens that are attended to


def size(*shape):
    """Rows times columns; a vector counts its entries."""
    count = 1
    for length in shape:
        count *= length
    return count


attention_shapes = {
    "W_Q": (width, width), "b_Q": (width,),
    "W_K": (width, width), "b_K": (width,),
    "W_V": (width, width), "b_V": (width,),
    "W_O": (width, width), "b_O": (width,),
}  # fmt: skip
feed_forward_shapes = {"W_1": (width, hidden), "b_1": (hidden,), "W_2": (hidden, width), "b_2": (width,)}
norm_shapes = {"gamma": (width,), "beta": (width,)}
table_shapes = {"E": (vocabulary, width), "E_position": (longest, width)}  # the output is E once more


def count(shapes):
    return sum(size(*shape) for shape in shapes.values())


attention = count(attention_shapes)
feed_forward = count(feed_forward_shapes)
norm = count(norm_shapes)
block = attention + feed_forward + 2 * norm
total = layers * block + count(table_shapes) + norm

# One multiplication and one addition for each parameter in a product; scores and context vectors have no parameters.
products = layers * (4 * width * width + 2 * width * hidden) + vocabulary * width
per_token = 2 * products + layers * 4 * context * width
training_bytes = 4 * total + 4 * total + 8 * total  # parameters, gradients, Adam's two moving averages

for name, shape in (attention_shapes | feed_forward_shapes | norm_shapes | table_shapes).items():
    print(f"{name:12}{shape!s:12}{size(*shape):6}")
print("one block", block, "total", total, "operations for a token", per_token, "bytes", training_bytes)
