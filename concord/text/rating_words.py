"""Rating words: words, marks and emoji that mean scores, in the order that is conventional.

A word is known only where its order among the others is the same wherever it is used. What
`useful` is worth among `funny` and `long` is not known here and is for the user to say.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

# Skin tones and the marks that choose how an emoji is drawn mean nothing.
_DRAWN = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
_SPACES = re.compile(r"[\s_]+")
# A whole number before a word, as in `4 - good` or `3/5`; a fraction is none.
_LEADING = re.compile(r"([+-]?[0-9]{1,9})(?![0-9.,])\s*\S", re.DOTALL)

# A convention per line: the words of the lowest score, then of the next. English, then Chinese,
# Japanese and Korean.
_CONVENTIONS = """\
no, n < yes, y
no < partly, partially, partial, somewhat, maybe, unsure < yes
false, f < true, t
fail, failed, fails < pass, passed, passes
fail, failed < borderline, partial < pass, passed
bad < good
bad < ok, okay, neutral, average, fair < good
incorrect, wrong, not correct < correct, right
incorrect, wrong, not correct < partially correct, partly correct, partial, partially <\
 correct, right
useless, not useful < useful
useless, not useful < somewhat useful, partly useful, partially useful < useful
not useful, not useful at all, not at all useful < slightly useful <\
 moderately useful, somewhat useful < very useful < extremely useful
unhelpful, not helpful < helpful
unhelpful, not helpful < somewhat helpful, partly helpful, partially helpful < helpful
not helpful, not helpful at all, not at all helpful < slightly helpful <\
 moderately helpful, somewhat helpful < very helpful < extremely helpful
irrelevant, not relevant < relevant
irrelevant, not relevant < somewhat relevant, partially relevant < relevant
irrelevant, not relevant < somewhat relevant, partially relevant, related, marginally relevant <\
 relevant < highly relevant, very relevant, perfectly relevant
unsupported, not supported < supported
unsupported, not supported < partially supported, partly supported < supported, fully supported
reject, rejected < accept, accepted
unacceptable, not acceptable < acceptable
dissatisfied, unsatisfied, not satisfied < satisfied
very dissatisfied < dissatisfied, unsatisfied < neutral, neither satisfied nor dissatisfied <\
 satisfied < very satisfied
disagree < agree
disagree < neutral, neither agree nor disagree < agree
strongly disagree < disagree < neutral, neither agree nor disagree, undecided < agree <\
 strongly agree
low < medium, moderate < high
very low < low < medium, moderate < high < very high
very bad, terrible < bad < ok, okay, fair, average, neutral < good < very good, great
very poor < poor < fair, average, acceptable < good < very good, excellent
poor < fair, average < good < excellent
poor < fair < good < very good < excellent
negative < positive
negative < neutral < positive
thumbs down, thumb down, thumbsdown, down < thumbs up, thumb up, thumbsup, up
dislike < like
👎 < 👍
- < +
✗, ✘, ❌, ✕, × < ✓, ✔, ✅, ☑
☹, 🙁, 😞, 😠 < 🙂, 😊, 😀, 😃
☹, 🙁, 😞 < 😐 < 🙂, 😊, 😀, 😃
★ < ★★ < ★★★ < ★★★★ < ★★★★★
⭐ < ⭐⭐ < ⭐⭐⭐ < ⭐⭐⭐⭐ < ⭐⭐⭐⭐⭐

否, 不是 < 是
错, 错误, 錯, 錯誤, 不正确, 不正確, 不对, 不對 < 对, 對, 正确, 正確
错误, 錯誤, 不正确, 不正確 < 部分正确, 部分正確 < 正确, 正確
无用, 無用, 没用, 沒用, 没有用 < 有用
不通过, 未通过, 不通過, 未通過 < 通过, 通過
不合格 < 合格
不相关, 無關, 无关, 不相關 < 相关, 相關
不满意, 不滿意 < 满意, 滿意
非常不满意, 非常不滿意, 很不满意, 很不滿意 < 不满意, 不滿意 < 一般, 普通, 中立 <\
 满意, 滿意 < 非常满意, 非常滿意, 很满意, 很滿意
非常不同意 < 不同意 < 中立, 一般, 普通 < 同意 < 非常同意
差, 坏, 壞, 不好 < 好
差 < 一般, 中, 普通 < 好
很差, 非常差 < 差 < 一般, 中, 普通 < 好 < 很好, 非常好
差, 较差, 較差 < 一般, 中等, 普通 < 良好, 良 < 优秀, 優秀, 优
差, 很差 < 较差, 較差 < 一般, 中等, 普通 < 良好, 良 < 优秀, 優秀, 优
低 < 中 < 高

いいえ < はい
不正解, 誤り < 正解
不正解, 誤り < 部分的に正解, 部分正解 < 正解
不適切 < 適切
役に立たない < 役に立つ, 役立つ
悪い < 良い, よい
悪い < 普通 < 良い, よい
とても悪い, 非常に悪い < 悪い < 普通 < 良い, よい < とても良い, 非常に良い
不可 < 可 < 良 < 優
不満 < 満足
非常に不満, とても不満 < 不満 < 普通, どちらでもない < 満足 < 非常に満足, とても満足
× < ○, 〇, ◯
× < △ < ○, 〇, ◯
× < △ < ○, 〇, ◯ < ◎

아니오, 아니요 < 예, 네
거짓 < 참
틀림, 오답, 부정확 < 맞음, 정답, 정확
틀림, 오답 < 부분 정답, 부분정답 < 정답, 맞음
유용하지 않음, 쓸모없음 < 유용함, 유용
불합격 < 합격
나쁨 < 좋음
나쁨 < 보통 < 좋음
매우 나쁨 < 나쁨 < 보통 < 좋음 < 매우 좋음
하 < 중 < 상
미흡 < 보통 < 우수
매우 미흡 < 미흡 < 보통 < 우수 < 매우 우수
매우 불만족, 매우 불만 < 불만족, 불만 < 보통 < 만족 < 매우 만족
"""


class Rated(NamedTuple):
    """Words with the scores that are conventional for them.

    `scores` is by word as given, None where no convention gives one; `scale` has the scores of the
    convention, low to high. `numbered` scores are the numbers that the words begin with, and make
    no scale yet.
    """

    scores: dict[str, int | None]
    scale: tuple[int, ...]
    numbered: bool = False


def key(word: str) -> str:
    """Return a word as it is compared: without case, width, doubled spaces and skin tones."""
    plain = _DRAWN.sub("", unicodedata.normalize("NFKC", word)).casefold()
    return _SPACES.sub(" ", plain).strip().rstrip(".!") or plain.strip()


def rated(words: Iterable[str]) -> Rated:
    """Return scores for words by the convention that has most of them, the shortest of these.

    Words that begin with whole numbers, all of them different (`5 - excellent`), are worth these.
    Two or three scores begin at 0, longer scales at 1. One word alone says nothing of the others,
    so that it is still proposed by its convention. Words of several conventions of two scores are
    worth what each says, as pass and fail beside yes and no.
    """
    words = list(dict.fromkeys(words))
    numbered = _numbered(words)
    if numbered:
        return numbered
    keys = {*map(key, words)}
    if keys <= {*_LETTERS} and keys & {"i", "c"}:
        scale = (0, 1, 2) if "p" in keys else (0, 1)
        return Rated({word: min(_LETTERS[key(word)], scale[-1]) for word in words}, scale)
    if keys <= _TWO.keys() and not any(keys <= one.keys() for one in _PLACES):
        return Rated({word: _TWO[key(word)] for word in words}, (0, 1))
    fits = [(len(keys & set(one)), -len({*one.values()}), one) for one in _PLACES]
    most = max(fits, key=lambda fit: fit[:2], default=(0, 0, {}))
    if not most[0]:
        return Rated(dict.fromkeys(words), ())
    size = -most[1]
    first = 0 if size < 4 else 1
    scores = {word: _score(most[2], word, first) for word in words}
    return Rated(scores, tuple(range(first, first + size)))


def rated_on(
    words: Iterable[str], scale: Sequence[int], given: Mapping[str, float | None]
) -> dict[str, int]:
    """Return the scores of words by convention, where their scale is this one.

    `given` are the scores of words that the user gave, by `key`; None for a word that is no grade.
    Nothing is returned where they contradict the convention.
    """
    rating = [word for word in dict.fromkeys(words) if given.get(key(word), 0) is not None]
    found = rated(rating)
    usual = {word: score for word, score in found.scores.items() if score is not None}
    on_scale = {*usual.values()} <= {*scale} if found.numbered else found.scale == tuple(scale)
    if not on_scale or any(given.get(key(word), score) != score for word, score in usual.items()):
        return {}
    return {word: score for word, score in usual.items() if key(word) not in given}


def _score(places: Mapping[str, int], word: str, first: int) -> int | None:
    place = places.get(key(word))
    return None if place is None else first + place


def _numbered(words: list[str]) -> Rated | None:
    """The numbers that all words begin with; None where one does not, or two begin alike."""
    found = [_LEADING.match(unicodedata.normalize("NFKC", word).strip()) for word in words]
    if not found or not all(found):
        return None
    scores = {word: int(hit[1]) for word, hit in zip(words, found, strict=True)}
    if len({*scores.values()}) < len({*map(key, words)}):
        return None
    return Rated(dict(scores), (), True)


# Letters of Inspect: incorrect or no answer, partially correct, correct. Beside other letters, as
# of school grades, they mean something else.
_LETTERS = {"i": 0, "n": 0, "p": 1, "c": 2}
_PLACES = tuple(
    {
        key(word): place
        for place, level in enumerate(line.split(" < "))
        for word in level.split(", ")
    }
    for line in _CONVENTIONS.splitlines()
    if line
)
# What the words of conventions of two scores are worth, which no two of these contradict.
_TWO = {word: place for one in _PLACES if len({*one.values()}) == 2 for word, place in one.items()}
