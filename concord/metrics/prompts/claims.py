"""Claim extraction: the request that splits a text into statements that can be checked one by one.

Pure. The text is split once per item and then frozen: verdicts of all judges and annotators are on
the same claims.
"""

from concord.judges.prompting.delimiters import MATERIAL, fence, tag
from concord.metrics.prompts.ask import Ask, list_ask

TASK = f"""\
You split a text into claims. Each claim is checked separately, without seeing the text.

{MATERIAL}

# What a claim is
- One statement that can be true or false, in a full sentence. Two facts are two claims.
- It can be understood alone: names instead of pronouns, and the subject of the question named \
if the text omits it.
- It says no more and no less than the text. A number, date, condition or “not” of the text stays.
- It is written in the language of the text.
- Greetings, questions, offers of help, opinions about the question and statements that something \
is not known are not claims. A text with nothing to check has an empty list.

# Example
Text: “Yes. The museum opened in 1911 and, since the fire, is closed on Mondays.”
Claims: “The museum opened in 1911.” “The museum is closed on Mondays since the fire.”"""


def of_answer(question: str, answer: str) -> Ask:
    """The request for the claims of an answer; read as the list of their texts."""
    return _request("ANSWER", question, answer)


def of_reference(question: str, reference: str) -> Ask:
    """The request for the claims of a reference answer; read as the list of their texts."""
    return _request("REFERENCE", question, reference)


def _request(part: str, question: str, text: str) -> Ask:
    code = tag(question, text)
    user = [
        f"The code of this item is {code}.",
        "The question, as context:",
        fence("QUESTION", question, code),
        "The text to split:",
        fence(part, text, code),
    ]
    return list_ask("claims", TASK, user, [text.strip() or "…"])
