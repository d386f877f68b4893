"""Particles: in Korean, the form that fits the value before it, as in 답변 3개를 and 질문 1을.

A template names both forms, as in `{name}을(를)`. Which one is right hangs on how the value ends:
with a consonant or a vowel. That is known of Korean letters and of digits; of other letters it is
not, and both forms stay.
"""

import re
from string import Formatter
from typing import Any

# After a consonant, after a vowel.
_FORMS = {
    "을(를)": ("을", "를"),
    "은(는)": ("은", "는"),
    "이(가)": ("이", "가"),
    "와(과)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "(이)라": ("이라", "라"),
}
_FORM = re.compile("[)\\]}”’*`]*(" + "|".join(map(re.escape, _FORMS)) + ")")
_ASIDE = re.compile(r"\s*(\([^()]*\)|\[[^\[\]]*\]|[”’*`])$")
_LAST_OF_DIGIT = dict(
    zip("0123456789", ("ng", "l", "", "m", "", "", "k", "l", "l", ""), strict=True)
)
_FIRST, _LAST, _ENDINGS, _L = 0xAC00, 0xD7A3, 28, 8


def filled(template: str, values: dict[str, Any]) -> str:
    """`template.format(**values)`, with the particles that follow a value in the form it takes."""
    text, value = "", False
    for literal, place, form, _ in Formatter().parse(template):
        text += _fitting(text, literal) if value else literal
        value = place is not None
        if value:
            text += format(values[place], form)
    return text


def put(text: str, old: str, new: str, kept: str) -> str:
    """The text with the noun `new` where it says `old`, and the particle that `new` takes."""

    def instead(found: re.Match) -> str:
        both = next((both for both, forms in _FORMS.items() if found[1] in forms), "")
        return filled("{new}" + both, {"new": new}) if both else new + (found[1] or "")

    name = re.escape(old)
    noun = re.compile(rf"{name}(을|를|은|는|이|가|와|과|으로|로)?(?![가-힣])|{name}")
    return kept.join(noun.sub(instead, part) for part in text.split(kept))


def _fitting(before: str, literal: str) -> str:
    found = _FORM.match(literal)
    ending = _ending(before + literal[: found.start(1)]) if found else None
    if found is None or ending is None:
        return literal
    after_consonant, after_vowel = _FORMS[found[1]]
    vowel = not ending or (ending == "l" and found[1] == "(으)로")
    particle = after_vowel if vowel else after_consonant
    return literal[: found.start(1)] + particle + literal[found.end(1) :]


def _ending(text: str) -> str | None:
    """The consonant a text ends with when read aloud: `l`, another, none (``), or None: unknown."""
    while found := _ASIDE.search(text):
        text = text[: found.start()]
    last = text[-1:]
    if last == "%":
        return ""  # 퍼센트
    if last and _FIRST <= ord(last) <= _LAST:
        ending = (ord(last) - _FIRST) % _ENDINGS
        return "l" if ending == _L else "x" if ending else ""
    return _LAST_OF_DIGIT.get(last)
