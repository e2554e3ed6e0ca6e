import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { repositoryRoot } from "./checkout.ts";

/**
 * Whether git keeps the file at a path: then it came with the checkout. `and-beside`: or one beside it whose name goes on
 * after a dot, such as `state.json.journal`. The path is without links. False where there is no repository, or its index
 * cannot be read.
 */
export async function isTracked(path: string, which: "itself" | "and-beside"): Promise<boolean> {
  const root = repositoryRoot(dirname(path));
  if (root === undefined) return false;
  const index = await indexOf(root).catch(() => undefined);
  if (index === undefined) return false;
  const wanted = folded(
    relative(await realpath(root), path)
      .split(sep)
      .join("/"),
  );
  const isBeside = (kept: string) => which === "and-beside" && kept.startsWith(`${wanted}.`);
  return pathsIn(index)
    .map(folded)
    .some((kept) => kept === wanted || isBeside(kept));
}

interface Index {
  readonly bytes: Buffer;
  /** How many bytes the name of an object has. */
  readonly hashSize: number;
}

async function indexOf(root: string): Promise<Index> {
  const directory = await gitDirectory(root);
  const common = await readFile(join(directory, "commondir"), "utf8").catch(() => ".");
  const config = await readFile(resolve(directory, common.trim(), "config"), "utf8").catch(() => "");
  const hashSize = /^\s*objectformat\s*=\s*sha256\s*$/imu.test(config) ? 32 : 20;
  return { bytes: await readFile(join(directory, "index")), hashSize };
}

/** Of a worktree or a submodule, `.git` is a file that says where it is. */
async function gitDirectory(root: string): Promise<string> {
  const git = join(root, ".git");
  if ((await stat(git)).isDirectory()) return git;
  return resolve(root, (await readFile(git, "utf8")).replace(/^gitdir:/u, "").trim());
}

const headerSize = 12;
/** Times, device, inode, mode, owner and size. */
const statSize = 40;
const isExtended = 0x4000;

/** The paths in an index of version 2, 3 or 4, as far as it can be read. */
function pathsIn(index: Index): readonly string[] {
  const { bytes } = index;
  if (bytes.length < headerSize || bytes.toString("latin1", 0, 4) !== "DIRC") return [];
  const paths: string[] = [];
  let at = headerSize;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const entry = entryAt(index, at, paths.at(-1) ?? "");
    if (entry === undefined) break;
    paths.push(entry.path);
    at = entry.end;
  }
  return paths.map((path) => Buffer.from(path, "latin1").toString("utf8"));
}

interface Entry {
  /** One character a byte. */
  readonly path: string;
  readonly end: number;
}

function entryAt({ bytes, hashSize }: Index, start: number, before: string): Entry | undefined {
  const flags = start + statSize + hashSize;
  if (flags + 2 > bytes.length) return undefined;
  const name = flags + (bytes.readUInt16BE(flags) & isExtended ? 4 : 2);
  const isShortened = bytes.readUInt32BE(4) === 4;
  const dropped = isShortened ? numberAt(bytes, name) : { value: before.length, end: name };
  const end = bytes.indexOf(0, dropped.end);
  if (end < 0) return undefined;
  const path = before.slice(0, before.length - dropped.value) + bytes.toString("latin1", dropped.end, end);
  // Up to version 3 an entry is filled up with one to eight zeros to a multiple of eight.
  return { path, end: isShortened ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8 };
}

/** A number as git writes it where lengths vary. */
function numberAt(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let at = start;
  let byte = bytes[at] ?? 0;
  let value = byte & 0x7f;
  while (byte & 0x80 && at + 1 < bytes.length) {
    at += 1;
    byte = bytes[at] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at + 1 };
}

/** Some file systems take `.Roster` for `.roster`. */
function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
