import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import {
  type Draft,
  errorCode,
  type FileSystem,
  localFiles,
  replaceFile,
  syncDirectory,
  writeDraft,
} from "./file-system.ts";

export interface NewContent {
  /** Behind every symbolic link. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface TogetherOptions {
  /** Where it is recorded which drafts are to take the place of their files, until all of them have. */
  readonly record: string;
  readonly digest: (bytes: Uint8Array) => string;
  readonly disk?: FileSystem;
}

/** A draft that takes the place of its file. `before`: the digest of what it replaces; null where the file is new. */
interface RecordedDraft {
  readonly draft: string;
  readonly before: string | null;
}

/** Something failed. `nothing`: every file is as before. `some`: `completeReplacement` goes on. */
export class ReplacementError extends Error {
  readonly path: string;
  readonly changed: "nothing" | "some";

  constructor(path: string, changed: ReplacementError["changed"], cause: unknown) {
    super(`${path} cannot be written`, { cause });
    this.path = path;
    this.changed = changed;
  }
}

/**
 * Replaces or makes several files that belong together, in this order. Nothing changes before all of their contents are durable. After
 * a crash within, `completeReplacement` puts the rest in place.
 */
export async function replaceTogether(files: readonly NewContent[], options: TogetherOptions): Promise<void> {
  const { record, digest, disk = localFiles } = options;
  const drafts: (RecordedDraft & { readonly written: Draft })[] = [];
  let at = record;
  try {
    for (const { path, bytes } of files) {
      at = path;
      const before = await digestOf(path, { digest, disk });
      const draft = `${path}.${randomUUID()}`;
      drafts.push({ draft, before, written: await writeDraft(path, [bytes], { permissions: "kept", draft, disk }) });
      await syncDirectory(disk, dirname(path));
    }
    at = record;
    const recorded = drafts.map(({ draft, before }): RecordedDraft => ({ draft, before }));
    await replaceFile(record, [JSON.stringify(recorded)], { permissions: "owner", disk });
  } catch (error) {
    await disk.remove(record).catch(() => undefined);
    for (const { written } of drafts) await written.discard();
    throw new ReplacementError(at, "nothing", error);
  }
  await putDrafts(drafts, record, disk);
}

/** What was left of a replacement that was cut short: it is completed, or cannot be because somebody changed a file since. */
type Completion =
  | { readonly is: "none" | "completed" }
  | { readonly is: "changed"; readonly path: string }
  | { readonly is: "unreadable" };

/** Puts the drafts in place that a crash has left. A file that is no longer what a draft was to replace is never overwritten. */
export async function completeReplacement(options: TogetherOptions): Promise<Completion> {
  const { record, digest, disk = localFiles } = options;
  const text = await readIfThere(record, disk);
  if (text === undefined) return { is: "none" };
  const recorded = decodeRecord(new TextDecoder().decode(text));
  if (recorded === undefined) return { is: "unreadable" };
  const left: RecordedDraft[] = [];
  for (const one of recorded) {
    if ((await digestOf(one.draft, { digest, disk })) === null) continue;
    const path = fileOf(one.draft);
    if ((await digestOf(path, { digest, disk })) !== one.before) return { is: "changed", path };
    left.push(one);
  }
  await putDrafts(left, record, disk);
  return { is: "completed" };
}

async function putDrafts(drafts: readonly RecordedDraft[], record: string, disk: FileSystem): Promise<void> {
  let at = record;
  try {
    for (const { draft } of drafts) {
      at = fileOf(draft);
      await disk.rename(draft, at);
      await syncDirectory(disk, dirname(at));
    }
    at = record;
    await disk.remove(record);
    await syncDirectory(disk, dirname(record));
  } catch (error) {
    throw new ReplacementError(at, "some", error);
  }
}

async function digestOf(
  path: string,
  { digest, disk }: { readonly digest: TogetherOptions["digest"]; readonly disk: FileSystem },
): Promise<string | null> {
  const bytes = await readIfThere(path, disk);
  return bytes === undefined ? null : digest(bytes);
}

async function readIfThere(path: string, disk: FileSystem): Promise<Uint8Array | undefined> {
  try {
    return await disk.read(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const draftName = /^(?<path>.+)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

function fileOf(draft: string): string {
  return draftName.exec(draft)?.groups?.["path"] ?? draft;
}

/** The file that a draft replaces follows from its name: a record that somebody else wrote moves no other file. */
function decodeRecord(text: string): readonly RecordedDraft[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Array.isArray(value) && value.every(isRecordedDraft) ? value : undefined;
}

function isRecordedDraft(value: unknown): value is RecordedDraft {
  if (typeof value !== "object" || value === null || !("draft" in value) || !("before" in value)) return false;
  const { draft, before } = value;
  return typeof draft === "string" && draftName.test(draft) && (before === null || typeof before === "string");
}
