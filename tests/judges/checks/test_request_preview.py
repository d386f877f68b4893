"""What a run would send for one item, and how long that is."""

from concord.judges.checks import request_preview
from concord.judges.definition.model import parse
from concord.rubrics.model import presets
from tests.support.made_items import made_item


def test_a_prompt_that_fits_no_model_is_said_to_be_not_sent():
    text = 'name = "j"\nmodel = "m"\nrubric = "doc-qa-0-3"\ncontext_tokens = 10\n'
    judge = parse(f'{text}[endpoint]\nbase_url = "http://127.0.0.1:9/v1"\n', "mine.toml")
    told = request_preview.preview(judge, presets()["doc-qa-0-3"], made_item(0)).sentence()
    assert told.endswith(" tokens: the prompt fits no model of this judge, so it is not sent.")
