"""The rubric and the kind of units of lists of entities."""

from concord.metrics.prompts import verdicts

ENTITIES = verdicts.rubric("entities-in-contexts")
KIND = "reference_entity"
