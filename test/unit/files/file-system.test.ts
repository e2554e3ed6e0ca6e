import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  createFile,
  localFiles,
  type MakeDirectory,
  makeDirectories,
  makeDirectory,
  renameWithRetry,
  replaceFile,
} from "../../../src/files/file-system.ts";
import { memoryDisk, systemError } from "../../support/memory-disk.ts";
import { onPlatform } from "../../support/on-platform.ts";

/** As Node does: with all that is missing above, it calls a directory missing wherever none can be made. */
function refusing(code: string, there: readonly string[]): MakeDirectory {
  return async (path, { recursive }) => {
    if (recursive) throw systemError("ENOENT", path);
    const above = path.slice(0, path.lastIndexOf("/"));
    throw systemError(there.includes(above) ? code : "ENOENT", path);
  };
}

test.each([
  ["the one that is asked for", "/disk/states"],
  ["the first that is missing above it", "/disk/a/b/states"],
])("where no directory can be made, what refuses %s is told", async (_what, path) => {
  const made = makeDirectories(path, refusing("EROFS", ["/disk"]));
  await expect(made).rejects.toMatchObject({ code: "EROFS" });
});

test("where something else is in the way, as a link that leads nowhere, a part of the path is missing", async () => {
  const made = makeDirectories("/disk/link/states", refusing("EEXIST", ["/disk"]));
  await expect(made).rejects.toMatchObject({ code: "ENOENT" });
});

function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "roster-replace-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test.each([
  ["owner", 0o664, 0o600],
  ["kept", 0o664, 0o664],
  ["kept", 0o640, 0o640],
] as const)("a file with the permissions of %s that had %o has %o", async (permissions, before, after) => {
  const path = join(emptyDirectory(), "file");
  writeFileSync(path, "old");
  chmodSync(path, before);
  await replaceFile(path, ["new ", new TextEncoder().encode("bytes")], { permissions });
  expect({ text: readFileSync(path, "utf8"), mode: statSync(path).mode & 0o777 }).toEqual({
    text: "new bytes",
    mode: after,
  });
});

test("a new file is written whole or taken away, and takes no other's place", async () => {
  const path = join(emptyDirectory(), "export");
  const broken = createFile(localFiles, path, async (write) =>
    write("half").then(() => Promise.reject(new Error("x"))),
  );
  await expect(broken).rejects.toThrow("x");
  expect(await createFile(localFiles, path, async (write) => write("whole").then(() => 7))).toBe(7);
  await expect(createFile(localFiles, path, (write) => write("other"))).rejects.toMatchObject({ code: "EEXIST" });
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["whole", 0o600]);
});

test("what cannot take the place of something else leaves it, and nothing beside it", async () => {
  const directory = emptyDirectory();
  mkdirSync(join(directory, "taken"));
  const replaced = replaceFile(join(directory, "taken"), ["new"], { permissions: "owner" });
  await expect(replaced).rejects.toMatchObject({ code: "EISDIR" });
  expect(readdirSync(directory)).toEqual(["taken"]);
});

test("once the power is lost, the new content is there whole", async () => {
  const disk = memoryDisk();
  await disk.makeDirectory("/kept");
  await replaceFile("/kept/file", ["new"], { disk, permissions: "owner" });
  await (await disk.open("/", "look")).sync();
  expect(disk.afterPowerLoss(() => false).content()).toEqual({ "/kept/file": "new" });
});

test("a directory that is there is made durable as well: who made it may have died before", async () => {
  const disk = memoryDisk();
  await disk.makeDirectory("/kept");
  expect(disk.afterPowerLoss(() => false).content()).toEqual({});
  await makeDirectory(disk, "/kept");
  expect(disk.afterPowerLoss(() => false).content()).toEqual({ "/kept/": "" });
});

test("why a draft could not be written is told, although what is left of it cannot be removed", async () => {
  let removals = 0;
  const disk = {
    ...localFiles,
    open: () => Promise.reject(systemError("ENOSPC", "/draft")),
    async remove() {
      removals += 1;
      if (removals > 1) throw systemError("EIO", "/draft");
    },
  };
  const written = replaceFile("/file", ["new"], { disk, permissions: "owner" });
  await expect(written).rejects.toMatchObject({ code: "ENOSPC" });
  expect(removals).toBe(2);
});

function busyFor(times: number, code = "EPERM") {
  const asked: string[] = [];
  const move = async (from: unknown, to: unknown) => {
    asked.push(`${String(from)} ${String(to)}`);
    if (asked.length <= times) throw systemError(code, String(to));
  };
  return { asked, move };
}

test("on Windows, a file that another program has open is replaced as soon as that is done", async () => {
  onPlatform("win32");
  const file = join(emptyDirectory(), "draft");
  writeFileSync(file, "");
  const { asked, move } = busyFor(3);
  await renameWithRetry(file, "log.jsonl", move);
  expect(asked).toEqual(new Array(4).fill(`${file} log.jsonl`));
});

test.each<[string, NodeJS.Platform, string, boolean]>([
  ["elsewhere", "linux", "EPERM", true],
  ["for another reason", "win32", "EROFS", true],
  ["where a directory is in the way, as a held lock is", "win32", "EPERM", false],
])("a rename that is refused %s is not tried again", async (_, platform, code, isFile) => {
  onPlatform(platform);
  const directory = emptyDirectory();
  writeFileSync(join(directory, "draft"), "");
  const { asked, move } = busyFor(9, code);
  await expect(renameWithRetry(isFile ? join(directory, "draft") : directory, "to", move)).rejects.toMatchObject({
    code,
  });
  expect(asked.length).toBe(1);
});

test("what is written at a place is there, also once the disk has shown that it is prompt", async () => {
  const path = join(emptyDirectory(), "log");
  const file = await localFiles.open(path, "create");
  for (const [place, text] of ["ab", "cd", "ef"].entries()) {
    await file.write(text, 2 * place);
    await file.datasync();
  }
  await file.close();
  expect(readFileSync(path, "utf8")).toBe("abcdef");
});

test("a glance tells at once what is at a path, where the disk is of this machine alone", async () => {
  const directory = emptyDirectory();
  const file = join(directory, "there");
  writeFileSync(file, "");
  const glance = await localFiles.glance?.(directory);
  const seen = [file, join(directory, "missing"), join(file, "below")].map((path) => glance?.(path) ?? path === file);
  expect(seen).toEqual([true, false, false]);
  rmSync(file);
  expect(glance?.(file) ?? false).toBe(false);
});
