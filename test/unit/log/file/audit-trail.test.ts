import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fileAuditTrail } from "../../../../src/log/file/audit-trail.ts";
import type { AuditTrail } from "../../../../src/ports/state-store.ts";
import { describeTrail, trailLines } from "../../../support/audit-trail-contract.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { failureOf, unwrap } from "../../../support/state-place.ts";

/** Closed with its test. */
function openTrail(path: string): AuditTrail {
  const trail = fileAuditTrail(path);
  onTestFinished(() => trail.close());
  return trail;
}

describeTrail({
  name: "file",
  async place() {
    const path = join(emptyDirectory(), "deep", "audit.jsonl");
    return { open: async () => openTrail(path) };
  },
  secrets: [],
});

const lines = trailLines(3);

async function written(): Promise<string> {
  const path = join(emptyDirectory(), "audit.jsonl");
  const trail = openTrail(path);
  unwrap(await trail.append(lines.slice(0, 2), 0));
  await trail.close();
  return path;
}

describe("an audit trail in a file", () => {
  test("is for its owner alone", async () => {
    expect((await stat(await written())).mode & 0o777).toBe(0o600);
  });

  test("loses the rest of a line that was cut short, and goes on behind the whole ones", async () => {
    const path = await written();
    await truncate(path, (await stat(path)).size - 5);
    const trail = openTrail(path);
    expect(unwrap(await trail.last())).toBe(lines[0]);
    unwrap(await trail.append(lines.slice(1), 1));
    expect(await readFile(path, "utf8")).toBe(`${lines.join("\n")}\n`);
  });

  test.each(["", "{", '{"record":3,"prev\0\0\0', "\0\0\0\0"])(
    "goes on behind its whole lines after a torn %j",
    async (torn) => {
      const path = await written();
      await appendFile(path, torn);
      const trail = openTrail(path);
      expect(unwrap(await trail.last())).toBe(lines[1]);
      unwrap(await trail.append(lines.slice(2), 2));
      expect(await readFile(path, "utf8")).toBe(`${lines.join("\n")}\n`);
    },
  );

  test.each(["a password", "first line\nsecond line", '{"version":1}', "x"])(
    "leaves a file of another program as it is: %j",
    async (content) => {
      const path = join(emptyDirectory(), "notes.txt");
      await writeFile(path, content);
      const trail = openTrail(path);
      const why = "its last line was written by another program";
      expect((await failureOf(trail.last())).message).toBe(`the audit trail could not be read at ${path}: ${why}`);
      expect((await failureOf(trail.append(lines, 0))).message).toBe(
        `the audit trail could not be written at ${path}: ${why}`,
      );
      expect(await readFile(path, "utf8")).toBe(content);
    },
  );

  test("is read whole where it is larger than what is read at once, and changed by no read", async () => {
    const path = join(emptyDirectory(), "audit.jsonl");
    const long = Array.from({ length: 9 }, (_, index) => `${index}${"é€😀".repeat(111_111)}`);
    const content = `${long.join("\n")}\n{"rec`;
    await writeFile(path, content, { mode: 0o400 });
    expect(unwrap(await openTrail(path).read())).toEqual(long);
    expect(await readFile(path, "utf8")).toBe(content);
  });

  test("is not continued where another program wrote something to it", async () => {
    const path = await written();
    const trail = openTrail(path);
    unwrap(await trail.append(lines.slice(2), 2));
    await appendFile(path, "more\n");
    expect((await failureOf(trail.append(lines, 3))).message).toBe(
      `the audit trail could not be written at ${path}: another program wrote to it`,
    );
    expect((await failureOf(openTrail(path).append(lines, 3))).message).toBe(
      `the audit trail could not be written at ${path}: its last line is not a record of an audit trail`,
    );
  });

  test.each<[string, (path: string) => unknown, string]>([
    ["a directory", (path) => mkdir(path), "it is a directory"],
    ["a pipe", (path) => execFileSync("mkfifo", [path]), "it is a pipe, not a regular file"],
  ])("is never %s", async (_, make, why) => {
    const path = join(emptyDirectory(), "audit.jsonl");
    await make(path);
    const trail = openTrail(path);
    for (const [asked, doing] of [
      [trail.last(), "read"],
      [trail.read(), "read"],
      [trail.append(lines, 0), "written"],
    ] as const) {
      expect(await failureOf(asked)).toEqual({
        code: "state",
        message: `the audit trail could not be ${doing} at ${path}: ${why}`,
        request: path,
        hint: "repair this path, or name another place with ROSTER_AUDIT=URL; ROSTER_AUDIT=none goes on without a trail",
      });
    }
  });
});
