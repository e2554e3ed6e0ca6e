import { basename, dirname, join } from "node:path";
import type { FileStat, FileSystem, OpenFile } from "../../src/files/file-system.ts";

interface File {
  readonly kind: "file";
  text: string;
  /** What of it would be there after the power was lost. */
  durable: string;
  modified: number;
}

interface Directory {
  readonly kind: "directory";
  readonly entries: Map<string, Node>;
  durable: ReadonlyMap<string, Node>;
  modified: number;
}

type Node = File | Directory;

/** A file system in memory that knows what of it is durable. All paths are absolute, without links. */
export interface MemoryDisk extends FileSystem {
  /** Its clock stands still but for this. */
  pass(milliseconds: number): void;
  /**
   * What the disk holds after the power was lost: of each name and each file either what was made durable or what was
   * there last, as `chance` says. `torn`: how much is left of so many characters that were added to a file since.
   */
  afterPowerLoss(chance: () => boolean, torn?: (added: number) => number): MemoryDisk;
  /** The texts of all files, by path; directories that hold nothing end in a slash. */
  content(): Readonly<Record<string, string>>;
}

export function memoryDisk(root: Directory = emptyDirectory(0), start = 1_000_000): MemoryDisk {
  let time = start;

  function nodeAt(path: string): Node {
    let node: Node = root;
    for (const name of path.split("/").filter((part) => part !== "")) {
      if (node.kind !== "directory") throw systemError("ENOTDIR", path);
      const next = node.entries.get(name);
      if (next === undefined) throw systemError("ENOENT", path);
      node = next;
    }
    return node;
  }

  function directoryAt(path: string): Directory {
    const node = nodeAt(path);
    if (node.kind !== "directory") throw systemError("ENOTDIR", path);
    return node;
  }

  function put(path: string, node: Node): void {
    const parent = directoryAt(dirname(path));
    parent.entries.set(basename(path), node);
    parent.modified = time;
  }

  function take(path: string): void {
    const parent = directoryAt(dirname(path));
    parent.entries.delete(basename(path));
    parent.modified = time;
  }

  return {
    async makeDirectory(path) {
      const before = isThere(() => nodeAt(path));
      if (before?.kind === "file") throw systemError("EEXIST", path);
      if (before !== undefined) return undefined;
      const above = await this.makeDirectory(dirname(path));
      put(path, emptyDirectory(time));
      return above ?? path;
    },
    async open(path, how) {
      if (how !== "create") return opened(nodeAt(path), () => time);
      if (isThere(() => nodeAt(path))) throw systemError("EEXIST", path);
      const file: File = { kind: "file", text: "", durable: "", modified: time };
      put(path, file);
      return opened(file, () => time);
    },
    async read(path) {
      const node = nodeAt(path);
      if (node.kind === "directory") throw systemError("EISDIR", path);
      return new TextEncoder().encode(node.text);
    },
    async list(path) {
      return [...directoryAt(path).entries.keys()];
    },
    async look(path): Promise<FileStat> {
      const node = nodeAt(path);
      return { kind: node.kind, modified: node.modified };
    },
    resolve: async (path) => path,
    async rename(from, to) {
      for (const path of [from, to]) directoryAt(dirname(path));
      const node = nodeAt(from);
      const other = isThere(() => nodeAt(to));
      refuseToReplace(node, other, to);
      take(from);
      put(to, node);
    },
    async remove(path) {
      const node = isThere(() => nodeAt(path));
      if (node?.kind === "directory") throw systemError("ERR_FS_EISDIR", path);
      if (node !== undefined) take(path);
    },
    async removeEmpty(path) {
      if (directoryAt(path).entries.size > 0) throw systemError("ENOTEMPTY", path);
      take(path);
    },
    async removeTree(path) {
      const node = isThere(() => nodeAt(path));
      if (node === undefined) return;
      // Whoever knows the directory by another name finds it empty.
      if (node.kind === "directory") node.entries.clear();
      take(path);
    },
    pass(milliseconds) {
      time += milliseconds;
    },
    afterPowerLoss: (chance, torn) => memoryDisk(directoryAfter(root, { chance, torn, placed: new Set() }), time),
    content: () => contentOf(root, "/"),
  };
}

function emptyDirectory(modified: number): Directory {
  return { kind: "directory", entries: new Map(), durable: new Map(), modified };
}

function textOf(node: Node): string {
  return node.kind === "file" ? node.text : "";
}

function opened(node: Node, now: () => number): OpenFile {
  return {
    async write(content, place) {
      if (node.kind === "directory") throw systemError("EISDIR", "");
      const text = typeof content === "string" ? content : new TextDecoder().decode(content);
      const at = place ?? node.text.length;
      node.text = node.text.slice(0, at) + text + node.text.slice(at + text.length);
      node.modified = now();
    },
    async sync() {
      if (node.kind === "file") node.durable = node.text;
      else node.durable = new Map(node.entries);
    },
    async datasync() {
      await this.sync();
    },
    size: async () => textOf(node).length,
    // In a text that is not of ASCII alone, what is counted are its units.
    readAt: async (place, length) => new TextEncoder().encode(textOf(node).slice(place, place + length)),
    close: async () => undefined,
  };
}

function refuseToReplace(node: Node, other: Node | undefined, to: string): void {
  if (other === undefined) return;
  if (node.kind === "directory" && other.kind === "file") throw systemError("ENOTDIR", to);
  if (node.kind === "file" && other.kind === "directory") throw systemError("EISDIR", to);
  if (other.kind === "directory" && other.entries.size > 0) throw systemError("ENOTEMPTY", to);
}

/** How a power loss goes. `placed`: what has been found by then; a rename that was not durable leaves one of its two names at most. */
interface PowerLoss {
  readonly chance: () => boolean;
  readonly torn: ((added: number) => number) | undefined;
  readonly placed: Set<Node>;
}

function directoryAfter(directory: Directory, loss: PowerLoss): Directory {
  const entries = new Map<string, Node>();
  for (const name of new Set([...directory.durable.keys(), ...directory.entries.keys()])) {
    const node = (loss.chance() ? directory.entries : directory.durable).get(name);
    if (node === undefined || loss.placed.has(node)) continue;
    loss.placed.add(node);
    entries.set(name, nodeAfter(node, loss));
  }
  return { ...directory, entries, durable: new Map(entries) };
}

function nodeAfter(node: Node, loss: PowerLoss): Node {
  if (node.kind === "directory") return directoryAfter(node, loss);
  const { chance, torn } = loss;
  const isAdded = node.text.length > node.durable.length && node.text.startsWith(node.durable);
  const last =
    torn !== undefined && isAdded ? node.durable.length + torn(node.text.length - node.durable.length) : undefined;
  const text = chance() ? node.text.slice(0, last) : node.durable;
  return { ...node, text, durable: text };
}

function contentOf(directory: Directory, path: string): Record<string, string> {
  const inside = [...directory.entries].sort(([a], [b]) => (a < b ? -1 : 1));
  if (inside.length === 0 && path !== "/") return { [`${path}/`]: "" };
  return Object.assign(
    {},
    ...inside.map(([name, node]) =>
      node.kind === "file" ? { [join(path, name)]: node.text } : contentOf(node, join(path, name)),
    ),
  );
}

function isThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

export function systemError(code: string, path: string): Error {
  return Object.assign(withoutStack(`${code}: ${path}`), { code });
}

/** Files that are not there are looked for often, and nobody reads where from. */
function withoutStack(message: string): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new Error(message);
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}
