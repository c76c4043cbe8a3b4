"""Answers for agents and review bots (Model Context Protocol)."""
