"""Cross-encoder: a model that reads question and answer together and returns one value.

It is loaded from a folder, or from a hub by a name the user gives; only the latter uses the
network. Its packages are optional (the extra `cross-encoder`) and imported when it is loaded.
Without them, or without the model, the value is undefined: there is no fallback.
"""

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from concord.messages import Problem
from concord.resources import install
from concord.text.tokens import HANGUL, UNSPACED

_CJK = re.compile(f"[{UNSPACED}{HANGUL}]")
_CJK_SHARE = 0.05  # English vocabularies hold a few hundred such signs, many-language ones a tenth
_TOGETHER = 32


class CrossEncoder:
    """A loaded cross-encoder.

    `identity` tells its numbers from those of others: a hash of weights and vocabulary. `limit` is
    the most word pieces of a question and an answer together, of which `special` are its own marks.
    `knows_cjk` is true for a vocabulary made for Chinese, Japanese or Korean too.
    """

    def __init__(self, name: str, model):
        self.name, self._model, self._tokenizer = name, model, model.tokenizer
        self.limit = int(model.max_seq_length)
        self.special = self._tokenizer.num_special_tokens_to_add(pair=True)
        vocabulary = self._tokenizer.get_vocab()
        self.identity = _identity(model, vocabulary)
        self.knows_cjk = sum(map(has_cjk, vocabulary)) > _CJK_SHARE * len(vocabulary)

    def count(self, text: str) -> int:
        """Return the number of word pieces of a text, without special tokens."""
        return len(self._spans(text))

    def cut(self, text: str, pieces: int) -> str:
        """Return the beginning of a text with that many word pieces."""
        spans = self._spans(text)[:pieces]
        return text[: spans[-1][1]] if spans else ""

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The raw logit of each (question, answer); higher is better and there is no limit.

        Raises:
            ValueError: A pair is longer than the model takes, which would be cut in silence.
        """
        for question, answer in pairs:
            if self.count(question) + self.count(answer) + self.special > self.limit:
                raise ValueError("a pair is longer than the cross-encoder takes")
        from torch.nn import Identity

        found = self._model.predict(
            list(pairs), batch_size=_TOGETHER, show_progress_bar=False, activation_fn=Identity()
        )
        return [float(one) for one in found]

    def _spans(self, text: str) -> list[tuple[int, int]]:
        return self._tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )["offset_mapping"]


def load(place: str) -> CrossEncoder:
    """The cross-encoder of a folder, or of a hub by its name there.

    Raises:
        Problem: Its packages are missing, there is no such folder or model, or it gives more than
            one number.
    """
    is_folder = Path(place).expanduser().is_dir()
    if not is_folder and place.startswith((".", "/", "~", "\\")):
        raise Problem(
            "There is no folder {place}. Name the folder of a cross-encoder.", place=place
        )
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import sentence_transformers
        from transformers.utils import logging
    except ImportError:
        raise Problem(
            "A cross-encoder requires packages that are not installed: “{command}”. There is no "
            "fallback.",
            command=install("cross-encoder"),
        ) from None
    logging.disable_progress_bar()
    try:
        model = sentence_transformers.CrossEncoder(
            str(Path(place).expanduser()) if is_folder else place, local_files_only=is_folder
        )
    except (OSError, ValueError) as fault:
        said = str(fault).splitlines()[0]
        raise Problem(
            "No cross-encoder can be loaded from {place}: {given}", place=place, given=said
        ) from fault
    if model.num_labels != 1:
        raise Problem(
            "{place} gives {n} numbers for a pair, and a cross-encoder that ranks gives one. Name "
            "another model.",
            place=place,
            n=model.num_labels,
        )
    return CrossEncoder(place, model)


def has_cjk(text: str) -> bool:
    """True where a text has a Chinese, Japanese or Korean character."""
    return bool(_CJK.search(text))


def _identity(model, vocabulary: dict[str, int]) -> str:
    made = hashlib.sha256(repr(sorted(vocabulary.items())).encode())
    for name, weights in sorted(model.state_dict().items()):
        made.update(name.encode())
        made.update(weights.detach().cpu().contiguous().numpy().tobytes())
    return made.hexdigest()[:12]
