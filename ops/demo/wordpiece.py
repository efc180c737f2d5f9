# SPDX-License-Identifier: Apache-2.0
"""BERT's uncased WordPiece tokenizer, from a tokenizer.json.

text ─► special tokens cut out ─► clean, CJK spaced, accents stripped, lower case ─► words and punctuation
     ─► longest pieces of the vocabulary ─► [CLS] ids [SEP]
"""
import json
import re
import unicodedata

CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
       (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def is_cjk(c):
    return any(low <= ord(c) <= high for low, high in CJK)


def is_punctuation(c):
    return c in ASCII_PUNCTUATION or unicodedata.category(c).startswith("P")


def is_dropped(c):
    """Control, format and private characters, but neither white space nor unassigned ones."""
    return c in "\0\ufffd" or (c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs"))


def normalise(text):
    chars = []
    for c in text:
        if is_dropped(c):
            continue
        chars.append(f" {c} " if is_cjk(c) else " " if c.isspace() else c)
    decomposed = unicodedata.normalize("NFD", "".join(chars))
    return "".join(c for c in decomposed if unicodedata.category(c) != "Mn").lower()


def split_words(text):
    """Words without spaces; every punctuation character is a word."""
    for run in text.split():
        word = ""
        for c in run:
            if not is_punctuation(c):
                word += c
                continue
            if word:
                yield word
            yield c
            word = ""
        if word:
            yield word


class WordPiece:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            config = json.load(f)
        model = config["model"]
        self.vocab = model["vocab"]
        self.prefix = model["continuing_subword_prefix"]
        self.max_chars = model["max_input_chars_per_word"]
        self.unknown = self.vocab[model["unk_token"]]
        self.pad, self.begin, self.end = (self.vocab[t] for t in ("[PAD]", "[CLS]", "[SEP]"))
        specials = [t["content"] for t in config["added_tokens"] if t["special"]]
        self.specials = {t: self.vocab[t] for t in specials}
        self._special = re.compile("(" + "|".join(map(re.escape, specials)) + ")")

    def pieces(self, word):
        """Ids of the longest pieces from the left, or the unknown token for the whole word."""
        if len(word) > self.max_chars:
            return [self.unknown]
        ids, start = [], 0
        while start < len(word):
            prefix = self.prefix if start else ""
            for end in range(len(word), start, -1):
                found = self.vocab.get(prefix + word[start:end])
                if found is not None:
                    break
            else:
                return [self.unknown]
            ids.append(found)
            start = end
        return ids

    def encode(self, text, max_tokens=256):
        ids = []
        for part in self._special.split(text):
            if part in self.specials:
                ids.append(self.specials[part])
            else:
                for word in split_words(normalise(part)):
                    ids.extend(self.pieces(word))
        return [self.begin, *ids[:max_tokens - 2], self.end]

    def batch(self, texts, max_tokens=256):
        """(ids, mask): two lists of rows of one length; mask is 1 where a token stands."""
        rows = [self.encode(t, max_tokens) for t in texts]
        length = max(map(len, rows))
        return ([r + [self.pad] * (length - len(r)) for r in rows],
                [[1] * len(r) + [0] * (length - len(r)) for r in rows])
