"""Go, checked by Semgrep rules: which files, one run of Semgrep, its results as findings. Semgrep is run, never
imported."""
