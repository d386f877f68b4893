"""Facts: the request that draws the checkable facts out of a reply, taught by examples.

Pure. As in WikiChat (Semnani et al. 2023): the model is shown what counts as a fact by worked
examples, one of which holds nothing to check.
"""

from concord.judges.prompting.delimiters import MATERIAL, fence, tag
from concord.metrics.prompts.ask import Ask, list_ask

TASK = f"""\
A user asked, and an assistant replied. List the facts in the assistant's reply that can be looked \
up. Each fact is looked up separately, by readers who have not seen the conversation.

{MATERIAL}

# What to list
- Facts about the world: who, what, when, where, how many. One fact per entry, in a full sentence \
with every name and date it needs to be found, in the language of the reply.
- No opinions, no advice, nothing the assistant says about itself or the conversation.
- Resolve relative times (“now”, “last year”) with the date if one is given; otherwise keep the \
words.
- A reply with nothing to look up has an empty list.

# Examples
Asked: “Who built the old harbour bridge?” Replied: “Anna Lind designed it, I believe; it opened \
in 1932 and was the longest of its time.” Facts: “Anna Lind designed the old harbour bridge.” “The \
old harbour bridge opened in 1932.” “The old harbour bridge was the longest bridge of its time \
when it opened in 1932.”

Asked: “Can you help me choose a phone?” Replied: “Gladly! What do you use it for, and how much \
would you like to spend?” The list is empty.

Asked: “富士山の高さは？” Replied: “3,776メートルです。登るなら夏がおすすめです。” Facts: \
“富士山の高さは3,776メートルである。”

Asked: “Did the band change?” Replied: “Yes, last year the drummer left and Mira Okafor came.” \
Date: 2021-05-02. Facts: “The band's drummer left in 2020.” “Mira Okafor came to the band in \
2020.”"""


def request(question: str, answer: str, date: str = "") -> Ask:
    """The request for the facts of a reply; read as the list of their texts.

    `date` is the day on which the reply is taken to have been given; '' for none.
    """
    code = tag(question, answer, date)
    user = [f"The code of this item is {code}.", fence("QUESTION", question, code)]
    user += [fence("ANSWER", answer, code), *([fence("DATE", date, code)] if date else [])]
    return list_ask("facts", TASK, user, [answer.strip() or "…"])
