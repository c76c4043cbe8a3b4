/** The Python that is selected in the Python extension, which is optional. */

import { PVSC_EXTENSION_ID, PythonExtension } from "@vscode/python-extension";
import * as vscode from "vscode";

async function api(): Promise<PythonExtension | undefined> {
  return vscode.extensions.getExtension(PVSC_EXTENSION_ID) ? await PythonExtension.api() : undefined;
}

/** Returns the path of the selected Python; undefined if there is none. */
export async function selected(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = (await api())?.environments;
  const found = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return found?.executable.uri?.fsPath;
}

/** Calls a function whenever another Python is selected. */
export async function whenSelected(act: () => void): Promise<vscode.Disposable | undefined> {
  return (await api())?.environments.onDidChangeActiveEnvironmentPath(act);
}
