"""The gate of real code: what a change does to the findings in pinned packages is a diff that somebody reads."""
