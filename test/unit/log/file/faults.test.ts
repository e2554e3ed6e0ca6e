import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type FileSystem, localFiles } from "../../../../src/files/file-system.ts";
import { noon } from "../../../support/event-builders.ts";
import { closingDisk, type DiskCall, type Strike } from "../../../support/faulty-disk.ts";
import { memoryDisk, systemError } from "../../../support/memory-disk.ts";
import { isDeep, oneIn } from "../../../support/property-runs.ts";
import { storeOf } from "../../../support/store-script.ts";
import { callsOf, expectRecovery, type StruckRun, struckRun } from "../../../support/struck-runs.ts";

const calls = await callsOf(memoryDisk());
const kept = ["log.jsonl", "log.jsonl.checkpoint"];

interface DiskFailure {
  readonly code: string;
  /** The calls that it can come from. */
  readonly of: readonly DiskCall["name"][];
  readonly first?: Strike["first"];
}

const changes = ["makeDirectory", "open", "rename", "remove", "removeEmpty", "removeTree"] as const;

const failures: Readonly<Record<string, DiskFailure>> = {
  "a full disk in the middle of a write": { code: "ENOSPC", of: ["write"], first: "half" },
  "a full disk": { code: "ENOSPC", of: ["write", "open", "makeDirectory", "rename"] },
  "a used-up quota, which some systems tell late": { code: "EDQUOT", of: ["write", "datasync", "sync", "close"] },
  "a failing disk in the middle of a write": { code: "EIO", of: ["write"], first: "half" },
  "a failing disk": { code: "EIO", of: ["sync", "datasync", "read", "list", "look", "open", "close"] },
  "a disk that is read-only": { code: "EROFS", of: changes },
  "a disk that does a call and fails then": { code: "EIO", of: [...changes, "write"], first: "all" },
  "a rename that another machine does, and does not find when it is asked again": {
    code: "ENOENT",
    of: ["rename"],
    first: "all",
  },
  "a lack of access": { code: "EACCES", of: [...changes, "read", "list"] },
};

/** Every failure names its path, and says what to do. */
function expectAdvice({ told }: StruckRun): void {
  for (const error of told.errors) expect(error).toMatch(/\/states\/log\.jsonl.*: .+ \(.+\)|the lock of this run/);
  for (const { request, hint } of told.failures) {
    expect(request).toContain("/states");
    expect(hint).toMatch(/./);
  }
}

describe("the file store", () => {
  test("loses nothing that it told to be durable where its process dies at any call of the file system", async () => {
    let deaths = 0;
    for (const { number, name } of calls) {
      for (const first of name === "write" ? (["half", "all"] as const) : ([undefined, "all"] as const)) {
        const disk = memoryDisk();
        const struck = await struckRun(disk, (call) => {
          if (call.number < number) return undefined;
          return call.number > number || first === undefined ? { how: "dies" } : { how: "dies", first };
        });
        disk.pass(2 * 3_600_000);
        await expectRecovery(struck);
        expect([...(await disk.list("/states"))].sort()).toEqual(kept);
        deaths += 1;
      }
    }
    expect(deaths).toBeGreaterThan(180);
  });

  test.each(Object.entries(failures))(
    "loses nothing, and tells what to do, where any call meets %s",
    async (_, failure) => {
      const { code, of, first } = failure;
      let met = 0;
      const meant = calls.filter(({ name }) => of.includes(name));
      for (const { number } of oneIn(2, meant)) {
        for (const lasts of [false, true]) {
          const disk = memoryDisk();
          const isMet = (call: DiskCall) => call.number === number || (lasts && call.number > number);
          const struck = await struckRun(disk, (call) => {
            if (!isMet(call) || !of.includes(call.name)) return undefined;
            const how = systemError(code, call.path);
            return first === undefined ? { how } : { how, first };
          });
          expectAdvice(struck);
          if (lasts && number < firstAppend) expect(struck.told.durable).toEqual([]);
          disk.pass(2 * 3_600_000);
          await expectRecovery(struck);
          expect([...(await disk.list("/states"))].sort()).toEqual(kept);
          met += 1;
        }
      }
      expect(met).toBeGreaterThan(0);
    },
  );

  test("loses nothing on the disk of this machine where its process dies at any call", async () => {
    const top = await mkdtemp(join(tmpdir(), "roster-faults-"));
    onTestFinished(() => rm(top, { recursive: true, force: true }));
    const { disk, close } = unsyncedDisk();
    // Three of ten calls, of every kind: the disk in memory meets them all.
    for (const { number } of isDeep ? calls : calls.filter((_, index) => index % 10 < 3)) {
      const directory = join(top, `at-${number}`);
      const struck = await struckRun(disk, (call) => (call.number < number ? undefined : { how: "dies" }), directory);
      await expectRecovery(struck, directory);
      const left = (await localFiles.list(directory)).filter((name) => !name.endsWith(".new"));
      expect(left.sort()).toEqual(kept);
    }
    await close();
  });

  test("gives back the lock of a log that cannot be read", async () => {
    const disk = memoryDisk();
    const struck = await struckRun(disk);
    const log = await disk.open("/states/log.jsonl", "amend");
    // Behind the checkpoint, which hides what is before it from whoever wants the state alone.
    await log.write("?", (await log.size()) - 20);
    const store = storeOf(struck.machine.start());
    expect(await store.lock({ run: "n", operation: "apply", at: noon })).toMatchObject({ ok: false });
    expect(await store.holder()).toEqual({ ok: true, value: "nobody" });
  });
});

const firstAppend = calls.findIndex(({ name, path }) => name === "write" && path.endsWith("/log"));

/** The disk of this machine, but that syncs cost nothing: what a killed process wrote is there without them. */
function unsyncedDisk(): { readonly disk: FileSystem; close(): Promise<void> } {
  const nothing = async () => undefined;
  return closingDisk({
    ...localFiles,
    open: async (path, how, like) => ({
      ...(await localFiles.open(path, how, like)),
      sync: nothing,
      datasync: nothing,
    }),
  });
}
