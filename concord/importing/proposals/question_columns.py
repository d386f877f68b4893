"""Columns of questions: what tells them from prompts around them, and from other texts."""

from concord.importing.proposals.column_profile import Profile


def without_templates(named: list[Profile]) -> list[Profile]:
    """Without the columns whose texts hold those of another, as a prompt around the question."""
    return [
        one
        for one in named
        if not any(
            other.texts != one.texts
            and len(other.texts) == len(one.texts)
            and all(short in long for short, long in zip(other.texts, one.texts, strict=True))
            for other in named
        )
    ]


def asks(one: Profile) -> bool:
    """True where most texts end with a question mark."""
    return sum(text.endswith(("?", "？")) for text in one.texts) * 2 > len(one.texts)
