"""Adjudication on screen: a lead adjudicates or assigns it; an annotator what was assigned."""
