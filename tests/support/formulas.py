"""Texts that a spreadsheet would run, and texts that look like them."""

LIVE = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "＝1+1", "＋1", "－1", "＠a"]
TEXTS = [*LIVE, *("'" + text for text in LIVE), "''=1", "'quoted'", "' =1", "plain", "5", "a=b"]
