"""Go's text: which files matter, comments that silence findings, and the Semgrep rules for use without fdlint."""
