"""Measuring: how a judge of kind `metric` runs measures over a sheet, asks, keeps and resumes.

The measures themselves lie in `metrics/`, which this room does not know: a run is handed them as a
`Choice` (`judges.measuring.chosen`).
"""
