"""VERA's answer relevance: questions guessed back from the answer, whether it avoids or not."""

from concord.messages import said
from concord.metrics import response_relevancy
from concord.metrics.framework.metric import Canary, Example, Switch

METRIC = response_relevancy.METRIC._replace(
    name="vera_answer_relevance",
    title=said("Answer relevance"),
    sentence=said("How close is the question to questions guessed back from the answer?"),
    formula=said("mean of cosine(question, question guessed from the answer) over N guesses"),
    source=said("VERA (2024); it names no number of guesses and no rule for answers that avoid"),
    switches=(
        Switch(
            "noncommittal",
            ("never", "majority", "any", "all"),
            said("How many of the guesses must find the answer avoiding, for the number to be 0."),
        ),
        *response_relevancy.METRIC.switches[1:],
    ),
    others="VERA says “several” questions and no more; three are asked here unless you say "
    "otherwise. It declares 0 to 1, which a cosine does not keep to: nothing is clipped here.",
    example=Example(
        0.85,
        "cosines 0.95, 0.82 and 0.78: their mean is 0.85",
        question="When does the museum open?",
        answer="At nine, on most days.",
        replies={
            "questions": {
                "questions": [
                    {"question": "When does it open?", "clear": True, "noncommittal": False},
                    {"question": "From when is it open?", "clear": True, "noncommittal": False},
                    {"question": "On which days?", "clear": True, "noncommittal": False},
                ]
            }
        },
        vectors={
            "When does the museum open?": [1, 0],
            "When does it open?": [0.95, (1 - 0.95**2) ** 0.5],
            "From when is it open?": [0.82, (1 - 0.82**2) ** 0.5],
            "On which days?": [0.78, (1 - 0.78**2) ** 0.5],
        },
    ),
    canaries=(
        response_relevancy.ANSWERED,
        Canary(
            "answers its question, in Korean",
            said("The answer to the question comes out better than one to another question."),
            worse="고양이는 하루의 대부분을 잠으로 보냅니다.",
            question="주차장 요금은 얼마인가요?",
            answer="주차장 요금은 한 시간에 이천 원입니다.",
        ),
    ),
)
