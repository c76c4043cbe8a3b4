/** Goes from step to step of a finding's path, over files, and shows the steps behind their lines. */

import * as vscode from "vscode";
import { LANGUAGES } from "./status";
import { type Finding, label, onward, type Position } from "./steps";

const SOURCE = "fdlint";

export class Walk implements vscode.Disposable {
  private now: Position | undefined;
  private said: vscode.Disposable | undefined;
  private readonly others = decoration({});
  private readonly current = decoration({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorWarning.foreground"),
    isWholeLine: true,
  });
  private readonly parts: vscode.Disposable[] = [
    this.others,
    this.current,
    vscode.commands.registerCommand("fdlint.nextStep", (begun?: Finding) => this.go(1, begun)),
    vscode.commands.registerCommand("fdlint.previousStep", () => this.go(-1, undefined)),
    vscode.commands.registerCommand("fdlint.leavePath", () => this.leave()),
    vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && this.now?.finding.steps.some((one) => one.uri === document.uri.toString())) {
        this.leave(); // its lines have moved
      }
    }),
    vscode.languages.registerCodeActionsProvider(LANGUAGES, { provideCodeActions: offered }),
  ];

  private async go(direction: 1 | -1, begun: Finding | undefined): Promise<void> {
    const next = begun ? { finding: begun, number: 0 } : this.onward(direction);
    const step = next?.finding.steps[next.number];
    if (!next || !step) {
      vscode.window.setStatusBarMessage("fdlint: no path of a finding leads past this line", 5000);
      return;
    }
    this.now = next;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(step.uri));
    const line = document.lineAt(Math.min(step.line, document.lineCount - 1));
    const start = new vscode.Position(line.lineNumber, line.firstNonWhitespaceCharacterIndex);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
    await vscode.commands.executeCommand("setContext", "fdlint.walking", true);
    this.said?.dispose();
    this.said = vscode.window.setStatusBarMessage(`fdlint: ${label(next)}`); // screen readers pass decorations over
    this.draw();
  }

  private onward(direction: 1 | -1): Position | undefined {
    const editor = vscode.window.activeTextEditor;
    const at = editor && { uri: editor.document.uri.toString(), line: editor.selection.active.line };
    return at && onward(findings(), at, direction, this.now);
  }

  private leave(): void {
    this.now = undefined;
    this.said?.dispose();
    void vscode.commands.executeCommand("setContext", "fdlint.walking", false);
    this.draw();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const uri = editor.document.uri.toString();
      const here = (this.now?.finding.steps ?? []).flatMap((step, number) =>
        step.uri === uri ? [{ number, options: this.behind(step.line, number, editor.document) }] : [],
      );
      const [current, others] = [true, false].map((wanted) =>
        here.filter((one) => (one.number === this.now?.number) === wanted).map((one) => one.options),
      );
      editor.setDecorations(this.current, current ?? []);
      editor.setDecorations(this.others, others ?? []);
    }
  }

  private behind(line: number, number: number, document: vscode.TextDocument): vscode.DecorationOptions {
    const end = document.lineAt(Math.min(line, document.lineCount - 1)).range.end;
    const contentText = this.now ? label({ ...this.now, number }) : "";
    return { range: new vscode.Range(end, end), renderOptions: { after: { contentText } } };
  }

  dispose(): void {
    this.said?.dispose();
    this.parts.forEach((one) => one.dispose());
  }
}

function decoration(options: vscode.DecorationRenderOptions): vscode.TextEditorDecorationType {
  const after = { color: new vscode.ThemeColor("editorCodeLens.foreground"), margin: "0 0 0 2em" };
  return vscode.window.createTextEditorDecorationType({ after, ...options });
}

function findings(): Finding[] {
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, all]) => all.filter((one) => one.source === SOURCE).map((one) => finding(uri, one)));
}

function finding(uri: vscode.Uri, { range, relatedInformation }: vscode.Diagnostic): Finding {
  const steps = (relatedInformation ?? []).map(({ location, message }) => ({
    uri: location.uri.toString(),
    line: location.range.start.line,
    message,
  }));
  return { uri: uri.toString(), first: range.start.line, last: range.end.line, steps };
}

/** Returns the actions that start a walk, for the findings that have a path. */
function offered(
  document: vscode.TextDocument,
  _range: vscode.Range,
  { diagnostics }: vscode.CodeActionContext,
): vscode.CodeAction[] {
  return diagnostics.flatMap((one) => {
    const count = one.source === SOURCE ? (one.relatedInformation?.length ?? 0) : 0;
    if (count === 0) {
      return [];
    }
    const title = `fdlint: follow the path (${count} ${count === 1 ? "step" : "steps"})`;
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.command = { command: "fdlint.nextStep", title, arguments: [finding(document.uri, one)] };
    action.diagnostics = [one];
    return [action];
  });
}
