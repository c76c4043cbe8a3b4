/** The server of this window: one for all its folders. */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import { find, NEUTRAL, NotFound, type Program } from "./program";
import { selected } from "./python";
import { LANGUAGES, type Status } from "./status";

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly status: Status,
  ) {}

  /** Starts the server, again if it runs; or stops it, if the settings say so. One call ends before the next begins. */
  restart(): Promise<void> {
    this.turn = this.turn
      .then(() => this.stop())
      .then(() => this.start())
      .catch((error: unknown) => this.failed(error));
    return this.turn;
  }

  private async start(): Promise<void> {
    const settings = vscode.workspace.getConfiguration("fdlint");
    if (!settings.get("enable", true)) {
      this.status.off();
      return;
    }
    this.status.starting();
    const program = await find(await wishes(settings));
    this.log.info(`${program.origin}: ${[program.command, ...program.args].join(" ")}`);
    const client = (this.client = this.made(program, settings));
    await client.start();
    this.status.running(client.initializeResult?.serverInfo?.version ?? "running", program.origin);
    await vscode.commands.executeCommand("setContext", "fdlint.running", true);
  }

  private made({ command, args }: Program, settings: vscode.WorkspaceConfiguration): LanguageClient {
    const persona = settings.get("persona", "configured");
    const options: LanguageClientOptions = {
      documentSelector: LANGUAGES,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: {
        ...(persona === "configured" ? {} : { persona }),
        isolated: !vscode.workspace.isTrusted,
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
    };
    const client = new LanguageClient("fdlint", "fdlint", { command, args, options: { cwd: NEUTRAL } }, options);
    client.onDidChangeState(({ oldState, newState }) => {
      if (client === this.client && oldState === State.Running && newState === State.Stopped) {
        this.failed(new Error("The server has ended. Its log says why."));
      }
    });
    return client;
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await vscode.commands.executeCommand("setContext", "fdlint.running", false);
    if (client?.state === State.Running) {
      await client.stop().catch((error: unknown) => this.log.warn(String(error)));
    }
    client?.diagnostics?.clear();
  }

  private failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.log.error(reason);
    this.status.failed(reason);
    void this.tell(reason, error instanceof NotFound ? error.install : undefined);
  }

  private async tell(reason: string, install: string | undefined): Promise<void> {
    const copy = "Copy the command";
    const answers = [...(install ? [copy] : []), "Show the log", "Open the settings"];
    const answer = await vscode.window.showErrorMessage(`fdlint: ${reason}`, ...answers);
    if (answer === copy && install) {
      await vscode.env.clipboard.writeText(install);
    } else if (answer === "Show the log") {
      this.log.show();
    } else if (answer) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "fdlint");
    }
  }

  dispose(): Promise<void> {
    this.turn = this.turn.then(() => this.stop());
    return this.turn;
  }
}

async function wishes(settings: vscode.WorkspaceConfiguration): Promise<Parameters<typeof find>[0]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const trusted = vscode.workspace.isTrusted;
  return {
    path: settings.get("path", ""),
    interpreter: settings.get("interpreter", ""),
    arguments: settings.get("arguments", ["server"]),
    selected: trusted ? await selected(folders[0]?.uri) : undefined,
    folders: folders.map((one) => one.uri.fsPath),
    trusted,
    searched: process.env["PATH"] ?? "",
  };
}
