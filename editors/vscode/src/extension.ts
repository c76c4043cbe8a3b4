/** Starts the server, and starts it again when what it depends on changes. */

import * as vscode from "vscode";
import { whenSelected } from "./python";
import { Server } from "./server";
import { Status } from "./status";
import { Walk } from "./walk";

/** The settings that the server is started with. */
const SETTINGS = ["enable", "persona", "path", "interpreter", "arguments"].map((one) => `fdlint.${one}`);

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("fdlint", { log: true });
  const status = new Status();
  const server = new Server(log, status);
  const restart = () => void server.restart();
  context.subscriptions.push(
    log,
    status,
    server,
    new Walk(),
    vscode.commands.registerCommand("fdlint.restart", () => server.restart()),
    vscode.commands.registerCommand("fdlint.showLog", () => log.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (SETTINGS.some((one) => change.affectsConfiguration(one))) {
        restart();
      }
    }),
  );
  restart();
  const watch = await whenSelected(restart).catch((error: unknown) => log.warn(`Python extension: ${error}`));
  if (watch) {
    context.subscriptions.push(watch);
  }
}
