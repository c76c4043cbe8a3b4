import assert from "node:assert/strict";
import { test } from "node:test";
import { type Finding, label, onward, type Place, type Position } from "../src/steps";

const step = (uri: string, line: number) => ({ uri, line, message: `line ${line}` });
const LONG: Finding = { uri: "a", first: 4, last: 5, steps: [step("a", 4), step("b", 9), step("b", 9), step("a", 7)] };
const SHORT: Finding = { uri: "a", first: 20, last: 20, steps: [step("a", 7)] };
const BARE: Finding = { uri: "a", first: 30, last: 30, steps: [] };
const ALL = [BARE, SHORT, LONG];

function walked(start: Place, direction: 1 | -1, count: number): (number | undefined)[] {
  let now: Position | undefined;
  let at = start;
  return Array.from({ length: count }, () => {
    now = onward(ALL, at, direction, now);
    at = now?.finding.steps[now.number] ?? at;
    return now?.number;
  });
}

test("a walk goes through all steps, over files and twice over one line, and begins again", () => {
  assert.deepEqual(walked({ uri: "a", line: 5 }, 1, 6), [0, 1, 2, 3, 0, 1]);
  assert.deepEqual(walked({ uri: "a", line: 4 }, -1, 6), [3, 2, 1, 0, 3, 2]);
});

test("a walk begins at a step, too", () => {
  assert.equal(onward([LONG], { uri: "b", line: 9 }, 1)?.number, 2);
  assert.equal(onward([LONG], { uri: "a", line: 7 }, -1)?.number, 2);
});

test("the cursor leaves a walk for another finding", () => {
  const now = { finding: LONG, number: 1 };
  assert.equal(onward(ALL, { uri: "a", line: 20 }, 1, now)?.finding, SHORT);
  assert.equal(onward(ALL, { uri: "a", line: 7 }, 1, { finding: LONG, number: 3 })?.finding, LONG);
});

test("no path", () => {
  assert.equal(onward(ALL, { uri: "a", line: 30 }, 1), undefined);
  assert.equal(onward(ALL, { uri: "b", line: 4 }, 1), undefined);
  assert.equal(onward([], { uri: "a", line: 4 }, -1), undefined);
});

test("the words of a step", () => {
  assert.equal(label({ finding: LONG, number: 1 }), "2/4 line 9");
});
