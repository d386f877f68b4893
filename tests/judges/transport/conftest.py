"""Fixtures of the tests of transport."""

import pytest

from concord.judges.transport import cross_encoder

WORDS = """[PAD] [UNK] [CLS] [SEP] [MASK] tea is grown in assam where the it rains a lot score of
faithfulness retrieval precision for this question and answer measured from to good bad how much
was ! " # $ % & ' ( ) * + , - . / : ; < = > ? what comes by 0 1 2 3 4 5 6 7 8 9 number says
un ##aff ##able ##s atlas contexts statement statements every one"""


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory):
    """A folder with a randomly initialised BERT of one layer and a vocabulary of a few words."""
    pytest.importorskip("sentence_transformers")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    place = tmp_path_factory.mktemp("model")
    words = WORDS.split()
    (place / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(str(place / "vocab.txt"), model_max_length=512).save_pretrained(place)
    torch.manual_seed(1)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = BertConfig(vocab_size=len(words), intermediate_size=16, num_labels=1, **shape)
    BertForSequenceClassification(config).save_pretrained(place)
    return str(place)


@pytest.fixture(scope="module")
def encoder(encoder_folder):
    return cross_encoder.load(encoder_folder)
