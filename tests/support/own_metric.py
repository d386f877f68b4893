"""A metric of the user's own, as the text of its file."""

TONE = """
name = "tone"
title = "Tone"
sentence = "Is it polite?"
prompt = "Say whether the answer is polite."
number = "tone"
votes = 3
over_votes = "majority"

[output.reason]
type = "text"

[output.tone]
type = "label"
values = {rude = 0, plain = 0.5, polite = 1}
"""
