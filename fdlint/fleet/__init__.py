"""Scans every repository of an organisation on a Dask cluster, and keeps what it finds in one store.

One repository is one task, a large one several. A task runs in a process of its own, which fetches one commit, scans it
and gives back a report; only the process that was started by the user writes the store.
"""
