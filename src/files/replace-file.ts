import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { type FileSystem, localFiles, syncDirectory, using } from "./file-system.ts";

/** Texts or bytes, one after the other. */
export type Content = readonly (string | Uint8Array)[];

interface ReplaceOptions {
  /** `owner`: nobody else can read the file. `kept`: as it was; a new file has the usual ones. */
  readonly permissions: "owner" | "kept";
  /** Where the new content is written first, in the same file system; a name next to the file where it is absent. */
  readonly draft?: string;
  readonly disk?: FileSystem;
}

/**
 * Puts a new content in the place of a file, or makes the file: a crash leaves the old content or the new one, whole. A
 * symbolic link at the path is replaced; to follow it, give the path behind it.
 */
export async function replaceFile(path: string, content: Content, options: ReplaceOptions): Promise<void> {
  const draft = await writeDraft(path, content, options);
  try {
    await draft.put();
  } catch (error) {
    await draft.discard();
    throw error;
  }
}

/** A new content that is durable under another name. The file is as before. */
export interface Draft {
  /** Takes the place of the file, durably. */
  put(): Promise<void>;
  /** Never fails: why a draft is not wanted matters more than what is left of it. */
  discard(): Promise<void>;
}

/** The first half of `replaceFile`, for several files that are to change together. */
export async function writeDraft(
  path: string,
  content: Content,
  { permissions, draft = `${path}.${randomUUID()}`, disk = localFiles }: ReplaceOptions,
): Promise<Draft> {
  const discard = () => disk.remove(draft).catch(() => undefined);
  try {
    await writeDurably(disk, draft, content, permissions === "kept" ? path : undefined);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    async put() {
      await disk.rename(draft, path);
      await syncDirectory(disk, dirname(path));
    },
    discard,
  };
}

/** A new file with this content, durable but for its name. What has the name already goes. */
export async function writeDurably(disk: FileSystem, path: string, content: Content, like?: string): Promise<void> {
  await disk.remove(path);
  await using(await disk.open(path, "create", like), async (file) => {
    for (const part of content) await file.write(part);
    await file.sync();
  });
}
