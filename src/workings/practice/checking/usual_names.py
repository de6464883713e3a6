"""What other people name the steps of a transformer: in their own programs, in PyTorch, in the usual libraries.

By their name in lower case: the endings of our paths that it may refer to, the likeliest first.
"""

from __future__ import annotations

from collections.abc import Iterable

Endings = tuple[str, ...]

SCORES: Endings = ("scores", "scaled", "masked", "allowed", "padded", "biased")
RESULT: Endings = ("attended", "output", "joined", "context")  # of a module: the first of them that exists
ATTENDED: Endings = ("attended", "joined", "context")
OUTPUT: Endings = ("feed_forward.output", "output")
HIDDEN: Endings = ("hidden", "activated")
NORM1: Endings = ("attention.norm.normed",)
NORM2: Endings = ("feed_forward.norm.normed",)
# The residual stream between the two halves of a block, and after it: whatever of these comes last.
MIDDLE: Endings = ("attention.residual", "attention.norm.normed")
BLOCK: Endings = ("feed_forward.residual", "feed_forward.norm.normed", "attention.residual")


def _named(*pairs: tuple[str, Iterable[str]]) -> dict[str, Endings]:
    return {name: tuple(endings) for names, endings in pairs for name in names.split()}


USUAL_NAMES: dict[str, Endings] = {
    **_named(
        # attention
        ("q query queries query_layer q_proj q_lin query_states queries_proj c_q", ("Q", "Q_heads")),
        ("k key keys key_layer k_proj k_lin key_states keys_proj c_k", ("K", "K_heads")),
        ("v value values value_layer v_proj v_lin value_states values_proj c_v", ("V", "V_heads")),
        ("scores attn_scores attention_scores att_scores dots energy sim qk qkt qk_t attn_logits att_logits", SCORES),
        ("similarity raw_scores", SCORES),
        ("scaled scaled_scores scores_scaled attn_scaled", SCORES[1:]),
        ("masked masked_scores scores_masked attn_masked", SCORES[2:]),
        ("weights attn_weights attention_weights att_weights attn_probs attention_probs att_probs alpha", ("weights",)),
        ("p_attn attn_prob attn_dist attn_softmax softmax pattern attn_pattern", ("weights",)),
        ("att attn attention", ("weights", "attended")),
        ("wei", ("weights", *SCORES)),
        ("probs probabilities", ("weights", "P")),
        ("context ctx context_layer head_out heads_out z context_vec context_vector", ("context", "joined")),
        ("joined concat concatenated merged", ("joined", "context")),
        ("attn_out attn_output attention_output att_out", ATTENDED),
        ("o_proj out_proj proj_out wo_out self_attn self_attention mha sa", ATTENDED),
        # the feed-forward network
        ("hidden ff1 fc1 linear1 lin1 intermediate c_fc up_proj ffn1 ffn_hidden mlp_hidden ff_hidden", HIDDEN),
        ("pre_act preact ffn_pre mlp_pre ffn_in w1_out", HIDDEN),
        ("act activation activations activated post_act ffn_act mlp_act gelu relu", ("activated",)),
        ("ff2 fc2 linear2 lin2 down_proj ffn2 ffn_out ffn_output mlp_out mlp_output ff_out ff_output", OUTPUT),
        ("feed_forward_out feedforward_out mlp ffn ff feed_forward feedforward w2_out", OUTPUT),
        # norms and the residual stream
        ("ln1 ln_1 norm1 norm_1 layernorm1 layer_norm1 layer_norm_1 input_layernorm attn_norm attn_ln ln_attn", NORM1),
        ("attention_norm self_attn_layer_norm norm_attn", NORM1),
        ("ln2 ln_2 norm2 norm_2 layernorm2 layer_norm2 layer_norm_2 post_attention_layernorm ffn_norm ffn_ln", NORM2),
        ("mlp_norm mlp_ln ln_ffn ln_mlp final_layer_norm norm_ffn norm_mlp", NORM2),
        ("ln_f lnf norm_f final_norm final_ln final_layernorm ln_final", ("final_norm.normed",)),
        ("resid_mid resid1 res1 residual1 x1 after_attn post_attn attn_residual attn_res attn_add", MIDDLE),
        ("resid_post resid2 res2 residual2 x2 after_ffn after_mlp post_ffn ffn_residual mlp_residual", BLOCK),
        ("block_out block_output layer_out layer_output", BLOCK),
        # the two ends
        ("x input inputs x0 h0 resid_pre input_embeddings hidden_states", ("X",)),
        ("emb embed embeds embedding embeddings embedded tok_emb token_emb wte", ("embedding.embedded", "embedding.X")),
        (
            "token_embedding token_embeddings inputs_embeds embed_tokens x_emb tok_embeddings",
            ("embedding.embedded", "embedding.X"),
        ),
        ("pos_emb pos_embed wpe pe pos_enc positional_encoding position_embeddings embed_positions", ("places",)),
        ("logits lm_head lm_logits unembed", ("logits",)),
        ("p y_hat yhat predictions", ("P", "weights")),
        ("loss ce ce_loss nll", ("loss",)),
        # weights under names of their own
        ("w_q wq query_weight q_weight weight_q", ("W_Q",)),
        ("w_k wk key_weight k_weight weight_k", ("W_K",)),
        ("w_v wv value_weight v_weight weight_v", ("W_V",)),
        ("w_o wo out_weight o_weight weight_o", ("W_O",)),
        ("w_1 w1 fc1_weight", ("W_1",)),
        ("w_2 w2 fc2_weight", ("W_2",)),
        ("b_q bq", ("b_Q",)),
        ("b_k bk", ("b_K",)),
        ("b_v bv", ("b_V",)),
        ("b_o bo", ("b_O",)),
        ("b_1 b1", ("b_1",)),
        ("b_2 b2", ("b_2",)),
        ("e w_e we emb_weight embedding_weight", ("E",)),
        ("w_vocab w_u wu w_out unembedding lm_head_weight", ("W_vocab",)),
    ),
    **dict.fromkeys(("out", "output", "outputs", "result"), RESULT),
    "y": ("joined", *RESULT),
}
# Names that mean something else within a block, or a part of it.
NAMES_IN: dict[str, dict[str, Endings]] = {
    "block": _named(("out output outputs result y h x hidden_states", BLOCK)),
    "attention": _named(
        ("out output c_proj proj dense wo o result y", ATTENDED),
        ("p probs softmax attn_dropout", ("weights",)),
        ("norm ln layer_norm", NORM1),
    ),
    "cross_attention": _named(
        ("out output c_proj proj dense wo o result", ATTENDED), ("norm ln layer_norm", ("norm.normed",))
    ),
    "feed_forward": _named(
        ("out output c_proj proj w2 wo dense_4h_to_h y result 2", OUTPUT),
        ("h in w1 wi up dense dense_h_to_4h 0", HIDDEN),
        ("1", ("activated",)),
        ("norm ln layer_norm", NORM2),
    ),
}
# The words of a path that say in which part of a block something is.
PART_WORDS = {
    "attention": "attn attention self_attn self_attention mha sa att",
    "cross_attention": "cross_attn cross_attention encoder_attn multihead_attn xattn",
    "feed_forward": "mlp ffn ff feed_forward feedforward",
}
PARTS = {word: part for part, words in PART_WORDS.items() for word in words.split()}
# The weight and the bias of what makes a step, by its name.
PARAMETERS: dict[str, tuple[str, str]] = {
    **{letter: (f"W_{letter}", f"b_{letter}") for letter in "QKV"},
    "attended": ("W_O", "b_O"),
    "hidden": ("W_1", "b_1"),
    "output": ("W_2", "b_2"),
    "normed": ("gamma", "beta"),
    "logits": ("W_vocab", "b_vocab"),
    "embedded": ("E", ""),
    "X": ("E", ""),
    "places": ("E_position", ""),
}
