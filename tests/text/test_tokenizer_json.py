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

from workings.engine.errors import InputError, VocabularyError
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


def refused(call, key, kind=VocabularyError):
    with pytest.raises(kind) as raised:
        call()
    assert key in raised.value.what
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


@pytest.mark.parametrize("setting", UNFIT)
def test_setting_that_byte_pairs_lacks_is_refused_by_name(setting, written):
    path = UNFIT[setting](written)
    error = refused(lambda: BytePairs.from_tokenizer_json(path), "does not support this setting of the file:")
    assert error.what.endswith(f": {setting}.")
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
        (without_byte(), {}, "The vocabulary of this file lacks the byte"),
        (TRAINED, {"model__vocab": None}, "of this tokenizer.json is malformed."),
        (TRAINED, {"model__vocab": {"a": "0"}}, "of this tokenizer.json is malformed."),
        (TRAINED, {"model__merges": None}, "of this tokenizer.json is malformed."),
        (TRAINED, {"model__merges": [["a"]]}, "of this tokenizer.json is malformed."),
        (TRAINED, {"model__merges": ["a b c"]}, "of this tokenizer.json is malformed."),
        (TRAINED, {"model__merges": [["日", "a"]]}, ", contains a sign that means no byte."),
        (TRAINED, {"added_tokens": 5}, "of this tokenizer.json is malformed."),
        (TRAINED, {"added_tokens": [5]}, "of this tokenizer.json is malformed."),
        (TRAINED, {"added_tokens": [{}]}, "of this tokenizer.json is malformed."),
        (TRAINED, {"pre_tokenizer": [1]}, "of this tokenizer.json is malformed."),
        (PAIRS.to_tokenizer_json(), {"model__vocab": vocabulary(zq=700)}, "of this file."),
        (PAIRS.to_tokenizer_json(), {"model__vocab": vocabulary(zq=701)}, "No token has the id"),
        (PAIRS.to_tokenizer_json(), {"model__vocab": vocabulary(zq=5)}, "belongs to two tokens,"),
        (PAIRS.to_tokenizer_json(), {"model__merges": [["z", "q"]]}, ", which has no id."),
    ],
)
def test_a_damaged_file_is_refused(source, changes, key, written):
    path = written(source, **changes)
    assert refused(lambda: BytePairs.from_tokenizer_json(path), key).where == str(path)


@pytest.mark.parametrize("read", [read_tokenizer, BytePairs.from_tokenizer_json])
def test_what_is_no_tokenizer_json_is_refused(read, tmp_path):
    path = tmp_path / "tokenizer.json"
    refused(lambda: read(path), "There is no file", InputError)
    refused(lambda: read(tmp_path), "is a folder", InputError)
    refused(lambda: read(5), "The path of a tokenizer.json is a string, not")
    refused(lambda: read("a\0b"), "cannot be read:", InputError)
    path.write_bytes(b"\xff\xfe\x00")
    refused(lambda: read(path), "is not text in UTF-8: byte 0 is 0xff.", InputError)
    for content, key in [
        (b"", "This is not a tokenizer.json:"),
        (PAIRS.to_tokenizer_json().encode()[:5000], "This is not a tokenizer.json:"),
        (b"[" * 100_000, "This is not a tokenizer.json:"),
        (b"[1, 2]", "This is JSON, but not a tokenizer.json: it has no model in"),
        (b'{"a": 0}', "This is JSON, but not a tokenizer.json: it has no model in"),
        (b'{"model": "BPE"}', "This is JSON, but not a tokenizer.json: it has no model in"),
    ]:
        path.write_bytes(content)
        refused(lambda: read(path), key)


def test_what_the_package_refuses_is_told(written):
    error = refused(
        lambda: read_tokenizer(written(TRAINED, model={"type": "Nonsense"})),
        "The package tokenizers cannot read this file:",
    )
    assert error.where.endswith("tokenizer.json")
    gap = Tokenizer(models.WordLevel({"a": 0, "b": 2}, "a"))
    refused(lambda: read_tokenizer(written(gap)), "No token has the id")
    refused(
        lambda: read_tokenizer(written(Tokenizer(models.BPE()))),
        "The vocabulary of this file has no tokens.",
    )


def test_texts_and_ids_that_are_none_are_refused(written):
    words = read_tokenizer(written(word_piece()))
    for text, key in [
        ("", "There is no text here."),
        (" ", "There is no text here."),
        (b"the", "A text is a string, not"),
    ]:
        refused(lambda text=text: words.encode(text), key)
    refused(lambda: words.encode("\ud800"), "contains half of a character, which no file and no screen")
    refused(lambda: words.framed(None), "A text is a string, not")
    refused(lambda: words.decode([9]), "is outside the vocabulary of")
    refused(lambda: words.decode("5"), "Ids are given as a list, not as")
    only = read_tokenizer(written(Tokenizer(models.WordLevel({"the": 0}, "[UNK]"))))
    assert "UNK" in refused(lambda: only.encode("cat"), "The package tokenizers cannot encode this text:").what
    assert "the" in refused(lambda: only.encode(["teh"]), "is not a token of this tokenizer.json.").hint


def test_without_the_package_a_sentence_says_how_to_get_it(written, monkeypatch):
    path = written(PAIRS.to_tokenizer_json())
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert (
        'pip install "workings[models]"'
        in refused(lambda: read_tokenizer(path), "Reading a tokenizer.json needs the package tokenizers,").hint
    )
    assert BytePairs.from_tokenizer_json(path) == PAIRS
