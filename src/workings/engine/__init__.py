"""The machine: tensors with axis words, ops, the recording, replay, compile, backward.

Nothing in this folder imports an array library, and nothing in it knows of pages on a screen.

    tensors       tensor, form (axis words and sizes), indexing, arrays, other_libraries
    ops           op, page (the parts of an op page), settings, signature, arguments, checks, errors
    a run         context, recording, steps, arithmetic, rounding, guard, inside (opening a composite), backward
    run again     replay, changes, site and in_rule (mistakes across steps), rewrite, names (finding a step)
    fast          compile, lowering, compiled_recording, varying, room (memory)
    by hand       hand, hand_tables, hand_slopes
    files         file, file_reading and file_check (traces), trace_data, files (those that users name)
"""
