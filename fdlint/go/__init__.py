"""Go, by Semgrep rules: which files, one call, what it says as findings. Semgrep is run, never imported."""
