"""tokenizer.json: ours read by the package tokenizers, theirs read by ours, and what is refused."""

import json
import pickle
import sys
import tokenize
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from workings.engine.errors import VocabularyError
from workings.text import BytePairs, Merge, Vocabulary, pad, read_tokenizer

SOURCE = Path(tokenize.__file__).read_text(encoding="utf-8")
SPECIAL = ("<|endoftext|>", "<s>", "<s>>", "<end of text>")
LEVEL = pre_tokenizers.ByteLevel(add_prefix_space=False)
ALPHABET = pre_tokenizers.ByteLevel.alphabet()
PARTS = [
    *SPECIAL,
    "<",
    "s>",
    "self",
    " return",
    "don't",
    "  ",
    "\r\n",
    "\u00a0",
    "é",
    "e\u0301",
    "🙂",
    "日本",
    "½",
    "7",
]
ASCII = st.text(st.characters(max_codepoint=127), min_size=1)
# Characters that Python's Unicode does not know yet may be letters for the package.
KNOWN = st.text(st.characters(exclude_categories=("Cs", "Cn")), min_size=1)
TEXTS = st.one_of(ASCII, KNOWN, st.lists(st.sampled_from(PARTS), min_size=1).map("".join))


def trained(special=SPECIAL):
    """A tokenizer of the package, trained by it."""
    judge = Tokenizer(models.BPE())
    judge.pre_tokenizer = LEVEL
    judge.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=700, initial_alphabet=ALPHABET, special_tokens=list(special), show_progress=False
    )
    judge.train_from_iterator([SOURCE, "日本 é 🙂 🙂 don't 日本"], trainer)
    return judge


PAIRS = BytePairs.learn(SOURCE + "日本 é 🙂 🙂 日本", 700, special=SPECIAL)
JUDGE = Tokenizer.from_str(PAIRS.to_tokenizer_json())
TRAINED = trained()


def refused(call, key):
    with pytest.raises(VocabularyError) as raised:
        call()
    assert raised.value.key == key
    assert all(line.isprintable() for line in str(raised.value).split("\n"))
    assert raised.value.hint
    return raised.value


@pytest.fixture
def written(tmp_path):
    """Write a tokenizer, or its changed JSON, into a file."""

    def write(source, **changes):
        text = source if isinstance(source, str) else source.to_str()
        path = tmp_path / "tokenizer.json"
        if changes:
            data = json.loads(text)
            for name, value in changes.items():
                *outer, last = name.split("__")
                place = data
                for part in outer:
                    place = place[part]
                place[last] = value
            text = json.dumps(data)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    path = tmp_path_factory.mktemp("trained") / "tokenizer.json"
    path.write_text(TRAINED.to_str(), encoding="utf-8")
    return BytePairs.from_tokenizer_json(path)


# -- ours and theirs agree ---------------------------------------------------------------------


@given(TEXTS)
def test_what_we_learned_encodes_the_same_in_the_package(text):
    assert JUDGE.encode(text, add_special_tokens=False).ids == PAIRS.encode(text)


@given(text=TEXTS)
def test_what_the_package_learned_encodes_the_same_here(theirs, text):
    assert theirs.encode(text) == TRAINED.encode(text).ids


@given(st.lists(st.integers(0, len(PAIRS) - 1)))
def test_ids_are_decoded_as_in_the_package(ids):
    assert PAIRS.decode(ids) == JUDGE.decode(ids, skip_special_tokens=False)


@given(TEXTS, st.permutations([("b", "c"), ("a", "bc"), ("a", "b"), ("ab", "c"), ("abc", "ab"), ("c", "a")]))
def test_merges_in_any_order_are_applied_as_in_the_package(text, pairs):
    merges = tuple(Merge(n, left.encode(), right.encode()) for n, (left, right) in enumerate(pairs, 1))
    ours = BytePairs(merges)
    text = "abcabcab" + "".join("abc"[ord(sign) % 3] for sign in text)
    assert Tokenizer.from_str(ours.to_tokenizer_json()).encode(text).ids == ours.encode(text)


def test_every_entry_has_the_same_id_in_the_package(theirs):
    assert JUDGE.get_vocab() == {entry: id for id, entry in enumerate(PAIRS.entries)}
    assert TRAINED.get_vocab() == {entry: id for id, entry in enumerate(theirs.entries)}
    assert theirs.special == SPECIAL
    assert theirs.end == TRAINED.token_to_id("<|endoftext|>")


def test_written_and_read_again_it_is_the_same(written):
    again = BytePairs.from_tokenizer_json(written(PAIRS.to_tokenizer_json()))
    assert again == PAIRS
    assert again.to_tokenizer_json() == PAIRS.to_tokenizer_json()
    assert PAIRS.merges[0].count is not None
    assert again.merges[0].count is None  # a file does not say how often


def test_an_order_of_its_own_is_written_and_read(written, theirs):
    assert theirs.order  # the package sorts bytes by their signs
    assert BytePairs.from_tokenizer_json(written(theirs.to_tokenizer_json())) == theirs
    assert Tokenizer.from_str(theirs.to_tokenizer_json()).get_vocab() == TRAINED.get_vocab()


def test_merges_in_the_older_writing(written):
    model = json.loads(PAIRS.to_tokenizer_json())["model"]
    model["merges"] = [" ".join(pair) for pair in model["merges"]]
    del model["type"]
    assert BytePairs.from_tokenizer_json(written(PAIRS.to_tokenizer_json(), model=model)) == PAIRS


def test_special_tokens_behind_all_others(written):
    judge = trained(special=())
    judge.add_special_tokens(["<|endoftext|>"])
    judge.add_tokens(["<tool>"])
    ours = BytePairs.from_tokenizer_json(written(judge, added_tokens=normalized(judge)))
    assert ours.special == ("<|endoftext|>", "<tool>")
    assert ours.end == len(ours) - 2
    assert ours.encode("def<|endoftext|><tool>") == judge.encode("def<|endoftext|><tool>").ids


def normalized(judge):
    """The added tokens of a file, all found in one go."""
    return [{**token, "normalized": False} for token in json.loads(judge.to_str())["added_tokens"]]


# -- any tokenizer.json, through the package ---------------------------------------------------


def word_piece():
    known = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "the": 5, "cat": 6, "##s": 7, "sat": 8}
    judge = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    judge.normalizer = normalizers.BertNormalizer()
    judge.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    judge.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)])
    judge.decoder = decoders.WordPiece()
    judge.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    judge.enable_truncation(2)
    judge.enable_padding(length=12)
    return judge


def test_a_word_piece_tokenizer_has_all_that_a_vocabulary_has(written):
    words = read_tokenizer(written(word_piece()))
    assert words.encode("The cats SAT") == [5, 6, 7, 8]
    assert words.encode(["cat", "##s", "dog"]) == [6, 7, 1]
    assert words.framed("the dog") == [2, 5, 1, 3]
    assert words.encode("[CLS] the [MASK]") == [2, 5, 4]
    assert words.decode([2, 5, 6, 7]) == "[CLS] the cats"
    assert words.entries[5:] == ("the", "cat", "##s", "sat")
    assert words.special == ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    assert words.specials == {"unknown": 1, "padding": 0, "mask": 4, "start": 2, "end": 3}
    assert (words.id("cat"), words.token(6), len(words), "cat" in words, "Cat" in words) == (6, "cat", 9, True, False)
    assert pad([words.encode("the cat"), words.encode("sat")], words).keep == [[1, 1], [1, 0]]
    public = {name for name in dir(Vocabulary) if not name.startswith("_")}
    assert public - {"words", "characters", "from_text", "tokens", "unit"} <= set(dir(words))


@given(text=TEXTS)
def test_ours_through_the_package_and_without_it_are_one(through_package, text):
    assert through_package.encode(text) == PAIRS.encode(text)
    assert through_package.decode(PAIRS.encode(text)) == text


@pytest.fixture(scope="module")
def through_package(tmp_path_factory):
    path = tmp_path_factory.mktemp("ours") / "tokenizer.json"
    path.write_text(PAIRS.to_tokenizer_json(), encoding="utf-8")
    return read_tokenizer(str(path))


def test_a_tokenizer_is_a_value(written):
    one, other = read_tokenizer(written(word_piece())), read_tokenizer(written(word_piece()))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)).encode("the cat") == [5, 6]
    assert len(repr(one)) < 100


def test_a_unigram_tokenizer(written):
    judge = Tokenizer(models.Unigram([("<unk>", 0.0), ("ab", -1.0), ("a", -2.5), ("b", -2.5)], 0))
    one = read_tokenizer(written(judge))
    assert [one.token(id) for id in one.encode("aba")] == ["ab", "a"]
    assert one.unknown == 0


# -- what is refused ---------------------------------------------------------------------------

UNFIT = {
    "model: WordPiece": lambda written: written(word_piece()),
    "model: Unigram": lambda written: written(Tokenizer(models.Unigram([("a", -1.0)], None))),
    "normalizer: NFC": lambda written: written(TRAINED, normalizer={"type": "NFC"}),
    "pre_tokenizer: None": lambda written: written(TRAINED, pre_tokenizer=None),
    "pre_tokenizer: Whitespace": lambda written: written(TRAINED, pre_tokenizer={"type": "Whitespace"}),
    "pre_tokenizer.add_prefix_space: true": lambda written: written(TRAINED, pre_tokenizer__add_prefix_space=True),
    "pre_tokenizer.use_regex: false": lambda written: written(TRAINED, pre_tokenizer__use_regex=False),
    "post_processor: TemplateProcessing": lambda written: written(
        TRAINED, post_processor={"type": "TemplateProcessing"}
    ),
    "decoder: WordPiece": lambda written: written(TRAINED, decoder={"type": "WordPiece"}),
    "model.dropout: 0.1": lambda written: written(TRAINED, model__dropout=0.1),
    'model.end_of_word_suffix: "</w>"': lambda written: written(TRAINED, model__end_of_word_suffix="</w>"),
    "model.ignore_merges: true": lambda written: written(TRAINED, model__ignore_merges=True),
    "added_tokens.lstrip: true": lambda written: written(with_token(AddedToken("<x>", lstrip=True))),
    "added_tokens.normalized: true, false": lambda written: written(with_token(AddedToken("<x>", normalized=True))),
}


def with_token(token):
    judge = trained()
    judge.add_tokens([token])
    return judge


@pytest.mark.parametrize("asked", UNFIT)
def test_what_byte_pairs_cannot_do_is_refused_by_its_name(asked, written):
    path = UNFIT[asked](written)
    error = refused(lambda: BytePairs.from_tokenizer_json(path), "tokenizer.asked")
    assert error.values == {"asked": asked}
    assert error.where == str(path)


def without_byte():
    judge = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    judge.pre_tokenizer = LEVEL
    return judge


def vocabulary(**more):
    return {**json.loads(PAIRS.to_tokenizer_json())["model"]["vocab"], **more}


@pytest.mark.parametrize(
    ("source", "changes", "key"),
    [
        (without_byte(), {}, "tokenizer.byte"),
        (TRAINED, {"model__vocab": None}, "tokenizer.part"),
        (TRAINED, {"model__vocab": {"a": "0"}}, "tokenizer.part"),
        (TRAINED, {"model__merges": None}, "tokenizer.part"),
        (TRAINED, {"model__merges": [["a"]]}, "tokenizer.part"),
        (TRAINED, {"model__merges": ["a b c"]}, "tokenizer.part"),
        (TRAINED, {"model__merges": [["日", "a"]]}, "tokenizer.signs"),
        (TRAINED, {"added_tokens": 5}, "tokenizer.part"),
        (TRAINED, {"added_tokens": [5]}, "tokenizer.part"),
        (TRAINED, {"added_tokens": [{}]}, "tokenizer.part"),
        (TRAINED, {"pre_tokenizer": [1]}, "tokenizer.part"),
        (PAIRS.to_tokenizer_json(), {"model__vocab": vocabulary(zq=700)}, "tokenizer.unmade"),
        (PAIRS.to_tokenizer_json(), {"model__vocab": vocabulary(zq=701)}, "tokenizer.gap"),
        (PAIRS.to_tokenizer_json(), {"model__vocab": vocabulary(zq=5)}, "tokenizer.same_id"),
        (PAIRS.to_tokenizer_json(), {"model__merges": [["z", "q"]]}, "tokenizer.no_id"),
    ],
)
def test_a_damaged_file_is_refused(source, changes, key, written):
    path = written(source, **changes)
    assert refused(lambda: BytePairs.from_tokenizer_json(path), key).where == str(path)


@pytest.mark.parametrize("read", [read_tokenizer, BytePairs.from_tokenizer_json])
def test_what_is_no_tokenizer_json_is_refused(read, tmp_path):
    path = tmp_path / "tokenizer.json"
    refused(lambda: read(path), "tokenizer.missing")
    refused(lambda: read(tmp_path), "tokenizer.unreadable")
    refused(lambda: read(5), "tokenizer.path")
    refused(lambda: read("a\0b"), "tokenizer.missing")
    for content, key in [
        (b"", "tokenizer.damaged"),
        (PAIRS.to_tokenizer_json().encode()[:5000], "tokenizer.damaged"),
        (b"[" * 100_000, "tokenizer.damaged"),
        (b"\xff\xfe\x00", "tokenizer.binary"),
        (b"[1, 2]", "tokenizer.other"),
        (b'{"a": 0}', "tokenizer.other"),
        (b'{"model": "BPE"}', "tokenizer.other"),
    ]:
        path.write_bytes(content)
        refused(lambda: read(path), key)


def test_what_the_package_refuses_is_told(written):
    error = refused(lambda: read_tokenizer(written(TRAINED, model={"type": "Nonsense"})), "tokenizer.refused")
    assert error.where.endswith("tokenizer.json")
    gap = Tokenizer(models.WordLevel({"a": 0, "b": 2}, "a"))
    refused(lambda: read_tokenizer(written(gap)), "tokenizer.gap")
    refused(lambda: read_tokenizer(written(Tokenizer(models.BPE()))), "vocabulary.empty")


def test_texts_and_ids_that_are_none_are_refused(written):
    words = read_tokenizer(written(word_piece()))
    for text, key in [("", "vocabulary.nothing"), (" ", "vocabulary.nothing"), (b"the", "vocabulary.text")]:
        refused(lambda text=text: words.encode(text), key)
    refused(lambda: words.encode("\ud800"), "vocabulary.broken")
    refused(lambda: words.framed(None), "vocabulary.text")
    refused(lambda: words.decode([9]), "vocabulary.id")
    refused(lambda: words.decode("5"), "vocabulary.ids")
    only = read_tokenizer(written(Tokenizer(models.WordLevel({"the": 0}, "[UNK]"))))
    assert "UNK" in refused(lambda: only.encode("cat"), "tokenizer.encode").what
    assert "the" in refused(lambda: only.encode(["teh"]), "tokenizer.token").hint


def test_without_the_package_a_sentence_says_how_to_get_it(written, monkeypatch):
    path = written(PAIRS.to_tokenizer_json())
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert 'pip install "workings[models]"' in refused(lambda: read_tokenizer(path), "tokenizer.package").hint
    assert BytePairs.from_tokenizer_json(path) == PAIRS
