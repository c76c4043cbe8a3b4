/** The path of a finding as steps, and which one comes next. */

/** A line of a file, from 0. */
export interface Place {
  uri: string;
  line: number;
}

/** A step of a path, and what happens there. */
export interface Step extends Place {
  message: string;
}

/** A finding: the lines that it is about, and the steps that lead to it. */
export interface Finding {
  uri: string;
  first: number;
  last: number;
  steps: readonly Step[];
}

/** One step of a finding, by its number from 0. */
export interface Position {
  finding: Finding;
  number: number;
}

/**
 * Returns the step to go to from a place, forward (1) or back (-1); undefined if no path leads past there.
 * `now`: the step that was last gone to. It counts while the place is its own. After the last step comes the first.
 */
export function onward(
  findings: readonly Finding[],
  at: Place,
  direction: 1 | -1,
  now?: Position,
): Position | undefined {
  if (now && same(now.finding.steps[now.number], at)) {
    return moved(now, direction);
  }
  const walkable = findings.filter((one) => one.steps.length > 0);
  const begun = walkable.find((one) => one.uri === at.uri && one.first <= at.line && at.line <= one.last);
  if (begun) {
    return { finding: begun, number: direction === 1 ? 0 : begun.steps.length - 1 };
  }
  for (const finding of walkable) {
    const number = finding.steps.findIndex((step) => same(step, at));
    if (number >= 0) {
      return moved({ finding, number }, direction);
    }
  }
  return undefined;
}

function moved({ finding, number }: Position, direction: 1 | -1): Position {
  const count = finding.steps.length;
  return { finding, number: (number + direction + count) % count };
}

function same(one: Place | undefined, other: Place): boolean {
  return one?.uri === other.uri && one.line === other.line;
}

/** Returns the words behind the line of a step. */
export function label({ finding, number }: Position): string {
  return `${number + 1}/${finding.steps.length} ${finding.steps[number]?.message ?? ""}`;
}
