/** What the editor shows about the server, beside the language of a file. */

import * as vscode from "vscode";

/** The files that fdlint checks. */
export const LANGUAGES = ["python", "go"].flatMap((language) =>
  ["file", "untitled"].map((scheme) => ({ scheme, language })),
);

export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("fdlint", LANGUAGES);

  constructor() {
    this.item.name = "fdlint";
    this.off();
  }

  off(): void {
    this.show("off", "see the setting fdlint.enable");
  }

  starting(): void {
    this.show("starting", "");
    this.item.busy = true;
  }

  running(version: string, origin: string): void {
    this.show(version, origin);
    this.item.command = { command: "fdlint.restart", title: "Restart" };
  }

  failed(reason: string): void {
    this.show("not running", reason);
    this.item.severity = vscode.LanguageStatusSeverity.Error;
  }

  private show(text: string, detail: string): void {
    this.item.text = `fdlint: ${text}`;
    this.item.detail = detail;
    this.item.busy = false;
    this.item.severity = vscode.LanguageStatusSeverity.Information;
    this.item.command = { command: "fdlint.showLog", title: "Show the log" };
  }

  dispose(): void {
    this.item.dispose();
  }
}
