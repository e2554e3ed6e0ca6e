import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { emptyDirectory } from "../../support/command.ts";
import { inside, insideHost } from "../../support/inside.ts";
import { writeRoster } from "../../support/roster-directory.ts";

const roster = "version: 1\naccount: acc-1\nteams: [{ name: Red, members: [] }]\n";
const mebibyte = 1024 * 1024;

async function scene(pipe: string) {
  const at = emptyDirectory();
  await writeRoster(at, { "a.yaml": roster });
  execFileSync("mkfifo", [join(at, pipe)]);
  return at;
}

const away = ["--endpoint", "http://127.0.0.1:9"];
const key = { ROSTER_API_KEY: "pre1.s3cr3tpart-of-a-key" };

test.each<[string, string, readonly string[], string, Readonly<Record<string, string>>?]>([
  ["a roster", "b.yaml", ["validate", "b.yaml"], "b.yaml is neither a regular file nor a directory."],
  [
    "the settings",
    "roster.config.yaml",
    ["validate", "a.yaml"],
    "The settings roster.config.yaml cannot be read: it is a pipe",
  ],
  [
    "named settings",
    "s",
    ["validate", "a.yaml"],
    "The settings s cannot be read: it is a pipe",
    { ROSTER_CONFIG: "s" },
  ],
  ["a plan to show", "p", ["show", "p"], "p cannot be read: it is a pipe, not a regular file."],
  ["a plan to apply", "p", ["apply", "p", ...away], "p is neither a regular file nor a directory."],
  ["a snapshot", "s", ["plan", "a.yaml", "--from", "s"], "The snapshot s cannot be read: it is a pipe"],
  ["a seed", "s", ["serve", "--seed", "s", "--port", "0"], "The seed s cannot be read: it is a pipe"],
  ["the state", "st", ["state", "show", "--state", "file:st"], "it is not a file"],
  ["the lock", "st.lock", ["state", "unlock", "x", "--state", "file:st"], "st.lock"],
])("a pipe in the place of %s is refused at once", async (_, pipe, args, words, env = {}) => {
  const { code, stderr } = await inside(args, { cwd: await scene(pipe), env: { ...key, ...env } });
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
});

test("a pipe in the place of the checkpoint is passed over at once, since the log has all of it", async () => {
  const { code, stderr } = await inside(["state", "show", "--state", "file:st"], { cwd: await scene("st.checkpoint") });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

function endless(text: string) {
  const count = { read: 0 };
  const chunk = Buffer.from(text.repeat(Math.ceil((64 * 1024) / text.length)));
  const stdin = Readable.from(
    (async function* () {
      for (;;) {
        count.read += chunk.length;
        yield chunk;
      }
    })(),
    { objectMode: false },
  );
  return { stdin, count };
}

test.each<[string, readonly string[], string]>([
  ["validate", ["validate", "-"], "too-large"],
  ["plan", ["plan", "-", ...away], "too-large"],
  ["apply", ["apply", "-", ...away], "too-large"],
])("%s reads no more of a standard input without end than a roster may have", async (_, args, code) => {
  const { stdin, count } = endless("# on and on\n");
  const options = { cwd: emptyDirectory(), env: key };
  const result = await inside(args, options, { ...insideHost(options), stdin: () => stdin });
  expect([result.code, result.stderr, count.read < 65 * mebibyte]).toEqual([3, expect.stringContaining(code), true]);
});

test("show reads no more of a document without end than a plan may have", async () => {
  const { stdin, count } = endless('{"format":"roster-plan","x":1}\n');
  const options = { cwd: emptyDirectory() };
  const { code, stderr } = await inside(["show", "-"], options, { ...insideHost(options), stdin: () => stdin });
  expect([code, stderr, count.read < 257 * mebibyte]).toEqual([
    3,
    expect.stringContaining("- cannot be read: it is larger than 256 MiB."),
    true,
  ]);
});

test("a key may come from a pipe, as shells make of the output of a command", async () => {
  const at = await scene("k");
  const writing = `printf pre1.s3cr3tpart > ${join(at, "k")} &`;
  execFileSync("sh", ["-c", writing], { stdio: "ignore" });
  const env = { ROSTER_API_KEY_FILE: "k" };
  const { stderr } = await inside(["plan", "a.yaml", ...away], { cwd: at, env });
  expect(stderr).toContain("cannot be reached");
});
