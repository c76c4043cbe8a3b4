"""The examination as metrics, in the text format of Prometheus and OpenMetrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from fdlint.report.printable import printable
from fdlint.runtime.doctor.examination import Examination

_FAMILIES = (
    ("fdlint_open_descriptors", "Open descriptors of a process by kind."),
    ("fdlint_descriptor_limit", "How many descriptors a process may have (soft limit)."),
    ("fdlint_judgements", "Findings and hints of fdlint doctor on a process, by pattern."),
    ("fdlint_recorded_descriptors", "Open descriptors by the line that acquired them, as far as it was recorded."),
)
Labels = tuple[tuple[str, str], ...]


def render(found: Examination) -> str:
    """Returns the metrics. All are gauges. Their last line says that they are complete."""
    samples: dict[str, Counter[Labels]] = {name: Counter() for name, _ in _FAMILIES}
    for name, labels, value in _samples(found):
        samples[name][labels] += value
    lines = []
    for name, about in _FAMILIES:
        lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge"]
        lines += [f"{name}{{{_shown(labels)}}} {value}" for labels, value in sorted(samples[name].items())]
    return "\n".join((*lines, "# EOF"))


def _samples(found: Examination) -> Iterator[tuple[str, Labels, int]]:
    for process in found.snapshot.processes:
        whose = (("pid", str(process.entry.pid)), ("name", process.entry.name))
        for one in process.open:
            yield "fdlint_open_descriptors", (*whose, ("kind", one.kind.value)), 1
        if process.limit is not None and process.limit.soft is not None:
            yield "fdlint_descriptor_limit", whose, process.limit.soft
        for judged in found.of(process):
            judgement = (*whose, ("grade", judged.grade.value), ("pattern", judged.pattern.name))
            yield "fdlint_judgements", judgement, 1
        for trail in found.trails.get(process.entry.pid, ()):
            place = f"{trail.site.path}:{trail.site.line}" if trail.site is not None else ""
            rules = ",".join(trail.codes)
            labels = (*whose, ("kind", trail.kind), ("line", place), ("rules", rules))
            yield "fdlint_recorded_descriptors", labels, len(trail.numbers)


def _shown(labels: Iterable[tuple[str, str]]) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)


def _escaped(value: str) -> str:
    return printable(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
