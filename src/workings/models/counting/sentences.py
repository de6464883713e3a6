"""The sentences of a count, under stable keys. See engine/sentences.py for how they are found."""

from __future__ import annotations

from collections.abc import Mapping

from ...engine.sentences import add_sentences

# Numbers as people say them: powers of 10, and the words for them.
POWERS: Mapping[int, str] = {
    18: "quintillion", 15: "quadrillion", 12: "trillion", 9: "billion", 6: "million", 3: "thousand",
}  # fmt: skip
BYTES: Mapping[int, str] = {18: "EB", 15: "PB", 12: "TB", 9: "GB", 6: "MB", 3: "kB"}

add_sentences(
    "count",
    {
        "presets": "Models that are known by name",
        "kind.encoder": "an encoder of {layers} blocks, {width} wide",
        "kind.decoder": "a decoder of {layers} blocks, {width} wide",
        "kind.encoder-decoder": "an encoder and a decoder of {layers} blocks each, {width} wide",
        "sizes": "Blocks: {blocks}; model {width}, heads {heads} of size {head_size}, hidden {hidden}, vocab "
        "{vocabulary}.",
        "sizes.no_hidden": "Blocks: {blocks}, without feed-forward; model {width}, heads {heads} of size {head_size}, "
        "vocab {vocabulary}.",
        "texts": "Texts: {batch}, tokens in each: {tokens}. Numbers: {dtype}, {bytes} bytes each.",
        "texts.both": "Texts: {batch} for the encoder and as many for the decoder, tokens in each: {tokens}. Numbers: "
        "{dtype}, {bytes} bytes each.",
        "sum.parameters": "parameters",
        "sum.forward": "FLOPs of the products, forward",
        "sum.backward": "FLOPs of the products, backward",
        "sum.weights": "bytes of the weights",
        "sum.trace": "bytes of a trace",
        "sum.tape": "bytes that backward needs",
        "sum.cache": "bytes of the cache",
        # -- parameters
        "parameters": "Parameters",
        "parameters.why": "Every weight once, rows × columns; a bias is one row.",
        "parameters.total": "Total: {total}. Of these, biases of linear layers (lines that begin with b_): {biases}. "
        "Without them: {without}.",
        "tied": "Why it is {total} and no more: the output layer is the embedding table once more. A table of its own "
        "would add {rows} × {columns} = {more}, and make it {untied}.",
        "heads": "Why the number of heads changes nothing: side by side, the {heads} heads of size {head_size} are "
        "{joined} columns, so W_Q is {width} × {joined}, however the columns are shared out. Built with a single "
        "head of size {joined}, this model has {one} parameters too.",
        "heads.differ": "With {heads} heads of size {head_size} a weight such as W_Q is {width} × {joined}. Built with "
        "a single head of size {joined}, this model has {one} parameters.",
        # -- operations
        "forward": "Matrix products, forward",
        "forward.why": "Each product takes 2 × terms × entries of its result: one multiplication and one addition for "
        "every term of every entry.",
        "entrywise": "The rest of the forward pass, entry by entry",
        "entrywise.why": "Each op is opened down to its primitives. One that writes an entry takes 1 for each, one "
        "that adds up or looks for the largest takes 1 for each entry that it reads, a sum of products 2. Powers and "
        "roots count as 1; moving and masking take none. A line has so much for each entry, then for each row, then "
        "once. Where a step is a product as well, this is its bias.",
        "entrywise.total": "Total: {total}, which is {share} % of the products. Backward, by the same rule: {back}.",
        "backward": "Matrix products, backward",
        "backward.why": "Going back from what the model gives, each product takes two more: the gradient of its left "
        "factor (dX) and of its right one (dW). Rows that were looked up in a table take no product.",
        "backward.total": "Total: {total}. Forward and backward together: {both}.",
        "rule": "Per token that is {each}. The rule of thumb, 6 for each parameter, gives 6 × {parameters} = {rule}; "
        "the true number is {ratio} times as large. The rule takes every parameter for a term of a product, which "
        "tables and norms are not, and leaves out the products between tokens, which grow with the length of the text.",
        # -- memory
        "memory": "Memory of the weights",
        "stored.why": "Copies × {bytes} bytes × parameters. Training keeps a gradient for every weight, and Adam two "
        "averages.",
        "stored.weights": "weights",
        "stored.gradients": "gradients",
        "stored.adam": "averages of Adam",
        "trace": "Memory of a trace",
        "trace.why": "A trace keeps the value of every step: {bytes} bytes × entries. Weights are counted above. Steps "
        "that only look at the entries of another in another order, such as a transpose or splitting into heads, "
        "share its memory and are not listed.",
        "tape": "Memory that backward needs",
        "tape.why": "A tape keeps only what some backward rule will read: {bytes} bytes × entries.",
        "cache": "Memory of the cache",
        "cache.why": "Writing token by token, the keys and values of earlier tokens are kept: 2 (K and V) × blocks × "
        "tokens × heads × head size × bytes.",
        "cache.why.batch": "Writing token by token, the keys and values of earlier tokens are kept: 2 (K and V) × "
        "blocks × tokens × heads × head size × bytes × texts.",
        "cache.none": "There is none: this model reads the whole text at once and does not write token by token.",
        "cache.own": "of its own text",
        "cache.cross": "of the text of the encoder",
        # -- tables
        "before": "Before the blocks",
        "between": "Between the blocks",
        "after": "After the blocks",
        "equal": "{first} to {last}: {times} equal blocks",
        "together": "together",
        "block": "one block",
        "blocks": "{times} blocks",
        "total": "Total: {total}.",
        "heading.model": "model",
        "heading.about": "about",
        "heading.what": "what",
        "heading.count": "count",
        "heading.weight": "weight",
        "heading.size": "size",
        "heading.parameters": "parameters",
        "heading.step": "step",
        "heading.product": "2 × terms × result",
        "heading.products": "products × FLOPs",
        "heading.entries": "operations × entries",
        "heading.flops": "FLOPs",
        "heading.kept": "kept",
        "heading.bytes_each": "worked out",
        "heading.bytes": "bytes",
        # -- numbers as people say them
        "unit.thousand": "{number} thousand",
        "unit.million": "{number} million",
        "unit.billion": "{number} billion",
        "unit.trillion": "{number} trillion",
        "unit.quadrillion": "{number} quadrillion",
        "unit.quintillion": "{number} quintillion",
        "unit.kB": "{number} kB",
        "unit.MB": "{number} MB",
        "unit.GB": "{number} GB",
        "unit.TB": "{number} TB",
        "unit.PB": "{number} PB",
        "unit.EB": "{number} EB",
    },
)

# What can go wrong, and what to try: counting, and reading the configuration of a model.
add_sentences(
    "error",
    {
        "count.model": "There is no model '{name}'.",
        "count.model.try": "Did you mean {nearest}? Known: {known}; or the path of a config.json, or of a scenario.",
        "count.number": "{what} must be a whole number from 1 to {most}, and is {value}.",
        "count.number.try": "Leave it out for what is usual, or give another number.",
        "count.positions": "The model has {most} positions, too few for {tokens} tokens.",
        "count.positions.try": "Leave out the number of tokens, or give at most {most}.",
        "count.tokens": "{batch} texts of {tokens} tokens are more than {most} tokens together.",
        "count.tokens.try": "Take fewer or shorter texts: the operations grow with the number of texts.",
        "count.batch": "A head for covered tokens takes one text at a time, not {batch}.",
        "count.batch.try": "Leave out the batch, and multiply.",
        "count.size": "The {size} of the model is {value}; counting goes up to {most}.",
        "count.size.try": "Check the sizes of the model.",
        "count.dtype": "'{dtype}' is not a type of number.",
        "count.dtype.try": "Did you mean {nearest}? Known: {known}.",
        "config.file": "{path} cannot be read: {reason}.",
        "config.file.try": "Give a config.json, or the folder that holds one.",
        "config.json": "{path} is not the configuration of a model: it cannot be read as JSON.",
        "config.json.try": "Give the config.json that lies beside the weights of a Hugging Face model.",
        "config.mapping": "A configuration has fields with names, but this is a {type}.",
        "config.mapping.try": 'It looks like {{"model_type": "gpt2", "n_embd": 768, ...}}.',
        "config.kind": "The model type {kind} is not known here.",
        "config.kind.try": "Did you mean {nearest}? Known: {known}.",
        "config.field.missing": "The configuration has no field '{field}'.",
        "config.field.missing.try": "Use the config.json as it was published with the model.",
        "config.field.size": "The field '{field}' must be a whole number from 1 to {most}, and is {value}.",
        "config.field.size.try": "Compare with the config.json that was published with the model.",
        "config.field.epsilon": "The field '{field}' must be a small number, 0 or above, and is {value}.",
        "config.field.epsilon.try": "What is usual: {usual}.",
        "config.field.flag": "The field '{field}' must be true or false, and is {value}.",
        "config.field.flag.try": "Write true or false, without quotes.",
        "config.field.choice": "The field '{field}' is {value}, which we do not have.",
        "config.field.choice.try": "What fits: {known}.",
    },
)
