import type { FileSystem, OpenFile } from "../../src/files/file-system.ts";

export interface DiskCall {
  readonly number: number;
  readonly name: keyof FileSystem | keyof OpenFile;
  readonly path: string;
}

/** What becomes of a call in place of what it should do. */
export interface Strike {
  /** `dies`: nothing ever comes of it, as for a process that was killed. */
  readonly how: "dies" | Error;
  /** What is done first all the same: half of what was to be written, or everything. */
  readonly first?: "half" | "all";
}

/** A file system of which any call can be held up, or struck. */
export function faultyDisk(disk: FileSystem, before: (call: DiskCall) => Promise<Strike | undefined>): FileSystem {
  let number = 0;

  async function call<T>(
    name: DiskCall["name"],
    path: string,
    steps: { readonly whole: () => Promise<T>; readonly half?: () => Promise<void> },
  ): Promise<T> {
    number += 1;
    const strike = await before({ number, name, path });
    if (strike === undefined) return steps.whole();
    if (strike.first === "half") await steps.half?.();
    if (strike.first === "all") await steps.whole();
    if (strike.how === "dies") return new Promise(() => undefined);
    throw strike.how;
  }

  function opened(path: string, file: OpenFile): OpenFile {
    return {
      write: (text, place) =>
        call("write", path, {
          whole: () => file.write(text, place),
          half: () => file.write(text.slice(0, text.length / 2), place),
        }),
      sync: () => call("sync", path, { whole: () => file.sync() }),
      datasync: () => call("datasync", path, { whole: () => file.datasync() }),
      size: () => call("size", path, { whole: () => file.size() }),
      readAt: (place, length) => call("readAt", path, { whole: () => file.readAt(place, length) }),
      close: () => call("close", path, { whole: () => file.close() }),
    };
  }

  return {
    makeDirectory: (path) => call("makeDirectory", path, { whole: () => disk.makeDirectory(path) }),
    open: (path, how) => call("open", path, { whole: async () => opened(path, await disk.open(path, how)) }),
    read: (path) => call("read", path, { whole: () => disk.read(path) }),
    list: (path) => call("list", path, { whole: () => disk.list(path) }),
    look: (path) => call("look", path, { whole: () => disk.look(path) }),
    resolve: (path) => call("resolve", path, { whole: () => disk.resolve(path) }),
    rename: (from, to) => call("rename", from, { whole: () => disk.rename(from, to) }),
    remove: (path) => call("remove", path, { whole: () => disk.remove(path) }),
    removeEmpty: (path) => call("removeEmpty", path, { whole: () => disk.removeEmpty(path) }),
    removeTree: (path) => call("removeTree", path, { whole: () => disk.removeTree(path) }),
  };
}

/** A file system that closes every file that its users left open, as it is with a process that was killed. */
export function closingDisk(disk: FileSystem): { readonly disk: FileSystem; close(): Promise<void> } {
  const open = new Set<OpenFile>();
  return {
    disk: {
      ...disk,
      async open(path, how, like) {
        const file = await disk.open(path, how, like);
        open.add(file);
        return { ...file, close: () => (open.delete(file) ? file.close() : Promise.resolve()) };
      },
    },
    async close() {
      for (const file of open) await file.close();
    },
  };
}
