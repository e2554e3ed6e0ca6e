import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FileSystem, localFiles } from "../../../src/files/file-system.ts";
import { memoryDisk } from "../../support/memory-disk.ts";

const paths = ["/a", "/b", "/a/x", "/b/x", "/a/y", "/a/x/deep", "/b/x/deep"];
const path = fc.constantFrom(...paths);

interface Operation {
  /** For the report of a difference. */
  readonly name: string;
  readonly run: (disk: FileSystem, root: string) => Promise<unknown>;
}

function at(name: string, run: (disk: FileSystem, path: string, root: string) => Promise<unknown>) {
  return path.map((one): Operation => ({ name: `${name} ${one}`, run: (disk, root) => run(disk, root + one, root) }));
}

const operation: fc.Arbitrary<Operation> = fc.oneof(
  at("make", async (disk, place, root) => (await disk.makeDirectory(place))?.slice(root.length)),
  at("create", (disk, place) => written(disk, place, "create", "text")),
  at("amend", (disk, place) => written(disk, place, "amend", "TE")),
  at("list", async (disk, place) => [...(await disk.list(place))].sort()),
  at("look", async (disk, place) => (await disk.look(place)).kind),
  at("remove", (disk, place) => disk.remove(place)),
  at("remove empty", (disk, place) => disk.removeEmpty(place)),
  at("remove tree", (disk, place) => disk.removeTree(place)),
  fc
    .tuple(path, path)
    .filter(([from, to]) => !to.startsWith(from) && !from.startsWith(to))
    .map(
      ([from, to]): Operation => ({
        name: `rename ${from} ${to}`,
        run: (disk, root) => disk.rename(root + from, root + to),
      }),
    ),
);

async function written(disk: FileSystem, place: string, how: "create" | "amend", text: string): Promise<void> {
  const file = await disk.open(place, how);
  await (how === "amend" ? file.write(text, 0) : file.write(text));
  await file.close();
}

function outcome(step: Promise<unknown>): Promise<unknown> {
  return step.catch((error: unknown) => (error instanceof Error && "code" in error ? error.code : error));
}

async function contentOf(root: string): Promise<Readonly<Record<string, string>>> {
  const content: Record<string, string> = {};
  for (const name of (await readdir(root, { recursive: true })).sort()) {
    const place = join(root, name);
    if ((await stat(place)).isFile()) content[`/${name}`] = await readFile(place, "utf8");
    else if ((await readdir(place)).length === 0) content[`/${name}/`] = "";
  }
  return content;
}

describe("the disk in memory", () => {
  test("does what the file system of this machine does, and refuses what it refuses", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
        const root = await mkdtemp(join(tmpdir(), "roster-disk-"));
        const memory = memoryDisk();
        try {
          for (const { name, run } of operations) {
            const real = await outcome(run(localFiles, root));
            expect([name, await outcome(run(memory, ""))]).toEqual([name, real]);
          }
          expect(memory.content()).toEqual(await contentOf(root));
        } finally {
          await rm(root, { recursive: true, force: true });
        }
      }),
      { seed: 8, numRuns: 100 },
    );
  });

  test("loses with the power what was not made durable, names and texts alike", async () => {
    const disk = memoryDisk();
    await disk.makeDirectory("/a");
    await (await disk.open("/", "look")).sync();
    for (const name of ["/a/kept", "/a/empty"]) {
      const file = await disk.open(name, "create");
      await file.write("one");
      if (name === "/a/kept") await file.datasync();
      await file.write("two");
    }
    await (await disk.open("/a", "look")).sync();
    await written(disk, "/a/lost", "create", "text");
    expect(disk.afterPowerLoss(() => false).content()).toEqual({ "/a/empty": "", "/a/kept": "one" });
    expect(disk.afterPowerLoss(() => true).content()).toEqual(disk.content());
  });
});
