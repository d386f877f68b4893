"""VERA's answer relevance: questions guessed back from the answer, whether it avoids or not."""

from metrics import response_relevancy
from metrics.frame.measure import Switch

MEASURE = response_relevancy.MEASURE._replace(
    name="vera_answer_relevance",
    title="Answer relevance",
    sentence="How close is the question to questions guessed back from the answer?",
    formula="mean of cosine(question, question guessed from the answer) over 3 guesses",
    source="VERA (2024); it names no number of guesses and no rule for answers that avoid",
    switches=(
        Switch(
            "noncommittal",
            ("never", "majority", "any", "all"),
            "How many of the guesses must find the answer avoiding, for the number to be 0.",
        ),
        response_relevancy.MEASURE.switches[1],
    ),
)
