"""The catalog of Go, in TOML."""
