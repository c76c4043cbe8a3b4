/** Which program is the server: from the settings, from the selected Python, or from the PATH. */

import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";

/** A program with its arguments. `origin`: where it was found, for the reader. */
export interface Program {
  command: string;
  args: string[];
  origin: string;
}

/** What the user has set and selected, and where fdlint may be looked for. `folders`: those of the workspace. */
export interface Wishes {
  path: string;
  interpreter: string;
  arguments: string[];
  selected: string | undefined;
  folders: string[];
  trusted: boolean;
  searched: string;
}

/** No program was found. `advice`: what to do; `install`: a command that helps, if there is one. */
export class NotFound extends Error {
  constructor(
    advice: string,
    readonly install?: string,
  ) {
    super(advice);
  }
}

/** What a Python has of fdlint. */
export type Installed = "all" | "no server" | "nothing";

export type Probe = (interpreter: string) => Promise<Installed>;

/**
 * Returns the program to start. What the user has set counts alone. In a workspace that is not trusted, the selected
 * Python is not run, because it can be a file of the workspace, and no program of the workspace is.
 */
export async function find(wishes: Wishes, probe: Probe = installed): Promise<Program> {
  const set = wishes.path && expanded(wishes.path, wishes);
  if (set) {
    const command = path.isAbsolute(set) ? set : await inPath(set, wishes);
    if (!command || !(await executable(command))) {
      throw new NotFound(`There is no program ${set}: see the setting fdlint.path.`);
    }
    return { command, args: wishes.arguments, origin: "setting fdlint.path" };
  }
  const own = wishes.interpreter && expanded(wishes.interpreter, wishes);
  const interpreter = own || (wishes.trusted ? wishes.selected : undefined);
  const has = interpreter ? await probe(interpreter) : "nothing";
  if (interpreter && has === "all") {
    const origin = own ? "setting fdlint.interpreter" : "selected Python";
    return { command: interpreter, args: ["-m", "fdlint", ...wishes.arguments], origin };
  }
  const command = own ? undefined : await inPath("fdlint", wishes);
  if (command) {
    return { command, args: wishes.arguments, origin: "PATH" };
  }
  throw missing(interpreter, has);
}

function missing(interpreter: string | undefined, has: Installed): NotFound {
  const install = interpreter ? `${quoted(interpreter)} -m pip install "fdlint[lsp]"` : 'pip install "fdlint[lsp]"';
  const said = {
    nothing: interpreter ? `fdlint is neither in ${interpreter} nor in the PATH.` : "fdlint is not in the PATH.",
    "no server": `fdlint in ${interpreter} has no language server.`,
    all: "",
  };
  return new NotFound(`${said[has]} Install it: ${install}`, install);
}

function quoted(file: string): string {
  return /^[\w./:\\-]+$/.test(file) ? file : `"${file}"`;
}

/** Returns a path of the settings with `~` and `${workspaceFolder}` replaced. A name alone stays one. */
export function expanded(written: string, { folders }: Pick<Wishes, "folders">): string {
  const folder = folders[0] ?? os.homedir();
  const text = written.replace(/^~(?=$|[/\\])/, () => os.homedir()).replaceAll("${workspaceFolder}", () => folder);
  return /[/\\]/.test(text) ? path.resolve(folder, text) : text;
}

/** Returns a program of the PATH. Relative directories do not count, nor do those of a workspace without trust. */
async function inPath(name: string, wishes: Wishes): Promise<string | undefined> {
  const file = process.platform === "win32" && !path.extname(name) ? `${name}.exe` : name;
  for (const directory of wishes.searched.split(path.delimiter).filter(path.isAbsolute)) {
    if (!wishes.trusted && wishes.folders.some((folder) => within(directory, folder))) {
      continue;
    }
    const found = path.join(directory, file);
    if (await executable(found)) {
      return found;
    }
  }
  return undefined;
}

function within(directory: string, folder: string): boolean {
  const rest = path.relative(folder, directory);
  return rest !== ".." && !rest.startsWith(`..${path.sep}`) && !path.isAbsolute(rest);
}

async function executable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

const QUESTION = `
from importlib.util import find_spec
has = [find_spec(name) is not None for name in ("fdlint", "pygls", "lsprotocol")]
print("all" if all(has) else "no server" if has[0] else "nothing")
`;

/** Returns what a Python has of fdlint. It imports nothing of it. */
export function installed(interpreter: string): Promise<Installed> {
  return new Promise((resolve) => {
    execFile(interpreter, ["-c", QUESTION], { cwd: NEUTRAL, timeout: 10_000 }, (error, stdout) => {
      const said = stdout.trim();
      resolve(!error && (said === "all" || said === "no server") ? said : "nothing");
    });
  });
}

/** Where programs are started: Python imports from its working directory, and the workspace's files are not its own. */
export const NEUTRAL = __dirname;
