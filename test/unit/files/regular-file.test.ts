import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { readFileOrPipe, readRegularFile, whyUnread } from "../../../src/files/regular-file.ts";
import { emptyDirectory } from "../../support/command.ts";

async function outcome(read: Promise<Buffer>): Promise<string> {
  try {
    return `read: ${(await read).toString("utf8")}`;
  } catch (error) {
    return whyUnread(error);
  }
}

async function place(name: string): Promise<string> {
  const at = join(emptyDirectory(), name);
  switch (name) {
    case "pipe":
      execFileSync("mkfifo", [at]);
      break;
    case "directory":
      await mkdir(at);
      break;
    case "socket":
      await once(createServer().listen(at).unref(), "listening");
      break;
    case "link":
      await writeFile(`${at}.to`, "content");
      await symlink(`${at}.to`, at);
      break;
    case "link-to-pipe":
      execFileSync("mkfifo", [`${at}.to`]);
      await symlink(`${at}.to`, at);
      break;
    case "huge":
      await writeFile(at, "");
      await truncate(at, 2 ** 40);
      break;
    default:
      await writeFile(at, name);
  }
  return at;
}

test.each([
  ["content", "read: content"],
  ["exactly-16-bytes", "read: exactly-16-bytes"],
  ["more-than-16-bytes", "it is larger than 16 bytes"],
  ["huge", "it is larger than 16 bytes"],
  ["link", "read: content"],
  ["pipe", "it is a pipe, not a regular file"],
  ["link-to-pipe", "it is a pipe, not a regular file"],
  ["socket", "it is a socket or a device, not a regular file"],
  ["directory", "EISDIR"],
])("a %s is read at once, or refused", async (name, expected) => {
  expect(await outcome(readRegularFile(await place(name), 16))).toBe(expected);
});

test("a device that never ends is not read", async () => {
  expect(await outcome(readRegularFile("/dev/zero", 1024))).toBe("it is a device, not a regular file");
  expect(await outcome(readFileOrPipe("/dev/zero", { largest: 1024, patience: 1000 }))).toBe(
    "it is a device, not a regular file",
  );
});

test("a file that does not tell its size is read to its end", async () => {
  expect(await outcome(readRegularFile("/proc/self/comm", 1024))).toMatch(/^read: \S/u);
  expect(await outcome(readRegularFile("/proc/self/maps", 64))).toBe("it is larger than 64 bytes");
});

test("where pipes may be, one is read until it is closed, whenever it is opened", async () => {
  const at = await place("pipe");
  const reading = outcome(readFileOrPipe(at, { largest: 1024, patience: 10_000 }));
  await setTimeout(60);
  const writing = createWriteStream(at);
  writing.write("one ");
  await setTimeout(60);
  writing.end("two");
  expect(await reading).toBe("read: one two");
});

test("a pipe that nobody writes is given up in time", async () => {
  const reading = readFileOrPipe(await place("pipe"), { largest: 1024, patience: 100 });
  expect(await outcome(reading)).toBe("it is a pipe, and no program wrote and closed it within 0.1 s");
});

test("a pipe that never ends is read to the limit alone", async () => {
  const at = await place("pipe");
  const reading = readFileOrPipe(at, { largest: 1024, patience: 10_000 });
  const writing = createWriteStream(at).on("error", () => undefined);
  writing.write("x".repeat(4096));
  expect(await outcome(reading)).toBe("it is larger than 1 KiB");
  writing.destroy();
});
