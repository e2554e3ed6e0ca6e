import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FileSystem, localFiles } from "../../../src/files/file-system.ts";
import { completeReplacement, replaceTogether } from "../../../src/files/replace-together.ts";
import { emptyDirectory } from "../../support/command.ts";

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const bytes = (text: string) => new TextEncoder().encode(text);

function scene() {
  const directory = emptyDirectory();
  for (const name of ["a", "b"]) writeFileSync(join(directory, name), `old ${name}`);
  const record = join(directory, ".record");
  const files = ["a", "b", "c"].map((name) => ({ path: join(directory, name), bytes: bytes(`new ${name}`) }));
  const contents = () => {
    const names = readdirSync(directory).sort();
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), "utf8")]));
  };
  return { directory, record, files, contents };
}

const whole = { a: "new a", b: "new b", c: "new c" };

/** Lets so many drafts take their places. The record takes its own before. */
function crashingAfter(renames: number): FileSystem {
  let left = renames + 1;
  return {
    ...localFiles,
    rename: async (from, to) => {
      left -= 1;
      if (left < 0) throw Object.assign(new Error("crash"), { code: "EIO" });
      await localFiles.rename(from, to);
    },
  };
}

test("several files are replaced and made, and nothing else is left", async () => {
  const { record, files, contents } = scene();
  await replaceTogether(files, { record, digest });
  expect(contents()).toEqual(whole);
  expect(await completeReplacement({ record, digest })).toEqual({ is: "none" });
});

test("where one cannot be written, nothing is changed and nothing is left", async () => {
  const { directory, record, files, contents } = scene();
  const before = contents();
  const gone = { path: join(directory, "missing/d"), bytes: bytes("d") };
  await expect(replaceTogether([...files, gone], { record, digest })).rejects.toMatchObject({
    path: gone.path,
    changed: "nothing",
  });
  expect(contents()).toEqual(before);
});

test("where the disk is full before the last is durable, nothing is changed and nothing is left", async () => {
  const { record, files, contents } = scene();
  const before = contents();
  let opened = 0;
  const full: FileSystem = {
    ...localFiles,
    open: async (path, how, like) => {
      if (how === "create") opened += 1;
      const file = await localFiles.open(path, how, like);
      const write = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
      return opened === 3 ? { ...file, write } : file;
    },
  };
  await expect(replaceTogether(files, { record, digest, disk: full })).rejects.toMatchObject({ changed: "nothing" });
  expect(contents()).toEqual(before);
});

test.each([0, 1, 2])("after a crash behind %i of the files, the rest is put in place once", async (renames) => {
  const { record, files, contents } = scene();
  const crashed = replaceTogether(files, { record, digest, disk: crashingAfter(renames) });
  await expect(crashed).rejects.toMatchObject({ changed: "some" });
  expect(await completeReplacement({ record, digest })).toEqual({ is: "completed" });
  expect(contents()).toEqual(whole);
  expect(await completeReplacement({ record, digest })).toEqual({ is: "none" });
});

test("a file that was changed after the crash is not overwritten, nor is any other", async () => {
  const { directory, record, files, contents } = scene();
  await expect(replaceTogether(files, { record, digest, disk: crashingAfter(1) })).rejects.toThrow();
  writeFileSync(join(directory, "b"), "of a person");
  const before = contents();
  expect(await completeReplacement({ record, digest })).toEqual({ is: "changed", path: join(directory, "b") });
  expect(contents()).toEqual(before);
});

test.each(["", "{}", "[1]", '[{"draft":"/etc/passwd","before":null}]'])(
  "a record of others moves nothing: %j",
  async (text) => {
    const { record } = scene();
    writeFileSync(record, text);
    expect(await completeReplacement({ record, digest })).toEqual({ is: "unreadable" });
  },
);

test("what is a directory is no file to replace", async () => {
  const { directory, record, files, contents } = scene();
  const before = contents();
  mkdirSync(join(directory, "d"));
  await expect(
    replaceTogether([...files, { path: join(directory, "d"), bytes: bytes("d") }], { record, digest }),
  ).rejects.toMatchObject({
    changed: "nothing",
  });
  expect(readdirSync(directory).sort()).toEqual([...Object.keys(before), "d"]);
});
