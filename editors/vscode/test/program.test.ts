import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import { beforeEach, test } from "node:test";
import { expanded, find, type Installed, installed, NotFound, type Wishes } from "../src/program";

const ABSENT = async (): Promise<Installed> => "nothing";
const PRESENT = async (): Promise<Installed> => "all";
const PARTLY = async (): Promise<Installed> => "no server";
const NEVER = async (): Promise<Installed> => assert.fail("a Python was run");

let folder: string;
let elsewhere: string;

beforeEach(async () => {
  const top = await realpath(await mkdtemp(path.join(os.tmpdir(), "fdlint-")));
  [folder, elsewhere] = [path.join(top, "project"), path.join(top, "bin")];
  await Promise.all([mkdir(folder), mkdir(elsewhere)]);
});

function wishes(some: Partial<Wishes> = {}): Wishes {
  const none = { path: "", interpreter: "", arguments: ["server"], selected: undefined };
  return { ...none, folders: [folder], trusted: true, searched: elsewhere, ...some };
}

async function program(...parts: string[]): Promise<string> {
  const file = path.join(...parts);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, 0o755);
  return file;
}

test("the selected Python comes first, if it has fdlint", async () => {
  await program(elsewhere, "fdlint");
  const found = await find(wishes({ selected: "/usr/bin/python3" }), PRESENT);
  assert.deepEqual([found.command, ...found.args], ["/usr/bin/python3", "-m", "fdlint", "server"]);
});

test("then the PATH", async () => {
  const file = await program(elsewhere, "fdlint");
  for (const probe of [ABSENT, PARTLY]) {
    const found = await find(wishes({ selected: "/usr/bin/python3" }), probe);
    assert.deepEqual([found.command, ...found.args, found.origin], [file, "server", "PATH"]);
  }
});

test("then it says how to install it, into the selected Python", async () => {
  const select = wishes({ selected: "/my venv/python" });
  const install = '"/my venv/python" -m pip install "fdlint[lsp]"';
  await assert.rejects(find(select, ABSENT), (error: NotFound) => {
    assert.equal(error.install, install);
    assert.match(error.message, /neither in \/my venv\/python nor in the PATH/);
    return true;
  });
  await assert.rejects(find(select, PARTLY), /has no language server\. Install it: "\/my venv\/python" -m pip/);
  await assert.rejects(find(wishes(), NEVER), /fdlint is not in the PATH\. Install it: pip install "fdlint\[lsp\]"/);
});

test("a setting counts alone", async () => {
  await program(elsewhere, "fdlint");
  const own = await program(folder, ".venv", "bin", "fdlint");
  const found = await find(wishes({ path: "${workspaceFolder}/.venv/bin/fdlint", selected: "python" }), NEVER);
  assert.equal(found.command, own);
  await assert.rejects(find(wishes({ path: "/nowhere/fdlint" }), NEVER), /no program \/nowhere\/fdlint/);
  await assert.rejects(find(wishes({ path: folder }), NEVER), /no program/);
  await assert.rejects(find(wishes({ interpreter: "/nowhere/python" }), ABSENT), /\/nowhere\/python/);
});

test("a setting can be a name in the PATH, with other arguments", async () => {
  const file = await program(elsewhere, "uvx");
  const found = await find(wishes({ path: "uvx", arguments: ["--from", "fdlint[lsp]", "fdlint", "server"] }), NEVER);
  assert.deepEqual([found.command, found.args[0]], [file, "--from"]);
});

test("without trust, nothing of the workspace runs", async () => {
  const inside = path.join(folder, "bin");
  await program(inside, "fdlint");
  const searched = [inside, elsewhere].join(path.delimiter);
  const careful = wishes({ trusted: false, selected: path.join(folder, ".venv/bin/python"), searched });
  await assert.rejects(find(careful, NEVER), NotFound);
  const outside = await program(elsewhere, "fdlint");
  assert.equal((await find(careful, NEVER)).command, outside);
  assert.equal((await find({ ...careful, trusted: true }, ABSENT)).command, path.join(inside, "fdlint"));
});

test("relative directories of the PATH and files that cannot run do not count", async () => {
  await writeFile(path.join(elsewhere, "fdlint"), "");
  await assert.rejects(find(wishes(), ABSENT), NotFound);
  await program(elsewhere, "fdlint");
  await assert.rejects(find(wishes({ searched: path.relative(process.cwd(), elsewhere) }), ABSENT), NotFound);
});

test("paths in settings", () => {
  const folders = ["/project"];
  assert.equal(expanded("~/bin/fdlint", { folders }), path.join(os.homedir(), "bin/fdlint"));
  assert.equal(expanded("${workspaceFolder}/x", { folders }), "/project/x");
  assert.equal(expanded("venv/bin/fdlint", { folders }), "/project/venv/bin/fdlint");
  assert.equal(expanded("fdlint", { folders }), "fdlint");
  assert.equal(expanded("./$&", { folders: [] }), path.join(os.homedir(), "$&"));
});

test("the probe runs a Python", async () => {
  assert.equal(await installed(process.env["FDLINT_PYTHON"] ?? "python3"), "all");
  assert.equal(await installed(await program(elsewhere, "python")), "nothing");
  assert.equal(await installed("/nowhere/python"), "nothing");
});
