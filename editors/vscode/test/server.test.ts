/** The real server, as the extension starts it. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath } from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as lsp from "vscode-languageserver-protocol/node";
import { find, NEUTRAL } from "../src/program";

const LEAK = "import os\n\n\ndef read(path):\n    fd = os.open(path, os.O_RDONLY)\n    return os.read(fd, 10)\n";

let server: ChildProcess;
let connection: lsp.ProtocolConnection;
let uri: string;
const published = new Map<string, lsp.Diagnostic[]>();

before(async () => {
  const interpreter = process.env["FDLINT_PYTHON"] ?? "python3";
  const wishes = { path: "", interpreter: "", arguments: ["server"], selected: interpreter, searched: "" };
  const program = await find({ ...wishes, folders: [], trusted: true });
  server = spawn(program.command, program.args, { cwd: NEUTRAL, stdio: ["pipe", "pipe", "inherit"] });
  assert(server.stdout && server.stdin);
  connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(server.stdout),
    new lsp.StreamMessageWriter(server.stdin),
  );
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, (said) => {
    published.set(said.uri, said.diagnostics);
  });
  connection.listen();
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "fdlint-")));
  uri = pathToFileURL(path.join(folder, "a.py")).href;
  const answer = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: { textDocument: { publishDiagnostics: { relatedInformation: true } } },
    initializationOptions: { persona: "regular", isolated: false },
    workspaceFolders: null,
  });
  assert.equal(answer.serverInfo?.name, "fdlint");
  assert(answer.serverInfo.version);
  await connection.sendNotification(lsp.InitializedNotification.type, {});
});

after(async () => {
  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  const [code] = await once(server, "exit");
  connection.dispose();
  assert.equal(code, 0);
});

test("a finding has the steps of its path, and a fix", async () => {
  const textDocument = { uri, languageId: "python", version: 1, text: LEAK };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
  const whole = lsp.Range.create(0, 0, 99, 0);
  await connection.sendRequest(lsp.InlayHintRequest.type, { textDocument: { uri }, range: whole }); // it waits
  const [found] = published.get(uri) ?? [];
  assert(found);
  assert.deepEqual([found.code, found.source, found.range.start.line], ["FD101", "fdlint", 4]);
  assert((found.relatedInformation ?? []).length > 0);
  for (const step of found.relatedInformation ?? []) {
    assert.equal(step.location.uri, uri);
    assert(step.message);
  }
  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: { uri },
    range: found.range,
    context: { diagnostics: [found] },
  });
  const titles = (actions ?? []).map((one) => one.title);
  assert.deepEqual(titles, ["fdlint: Close `fd` in a `finally`", "fdlint: silence FD101 on this line"]);
});
