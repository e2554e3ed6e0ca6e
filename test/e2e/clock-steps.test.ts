import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { systemClock, systemRandomness } from "../../src/library/environment.ts";
import { fileStore } from "../../src/log/file/store.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, roster } from "../support/command.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

/** Sets the wall clock of a process back by an hour, soon after it began. */
const hourBack = `const now = Date.now;
setTimeout(() => { Date.now = () => now() - 3_600_000; }, 1500).unref();
`;

/** A company, and a process whose clock is set back while it works. */
async function steppedBack() {
  // No answer comes within the time of the test.
  const server = await startReferenceServer({ port: 0, knobs: { latencyMs: 600_000 } });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  const preload = join(cwd, "clock.mjs");
  await writeFile(preload, hourBack);
  const env = {
    ROSTER_ENDPOINT: server.endpoint,
    ROSTER_API_KEY: server.key,
    NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
  };
  return { cwd, run: (args: readonly string[]) => roster(["apply", "--auto-approve", ...args], { cwd, env }) };
}

test("--deadline ends a command although the clock is set back by an hour", { timeout: 25_000 }, async () => {
  const { run } = await steppedBack();
  const began = performance.now();
  const { code, stderr } = await run(["--deadline", "4s"]);
  expect({ code, isTold: /deadline/u.test(stderr) }).toEqual({ code: 1, isTold: true });
  expect(performance.now() - began).toBeLessThan(15_000);
});

test("--lock-timeout ends although the clock is set back by an hour", { timeout: 25_000 }, async () => {
  const { cwd, run } = await steppedBack();
  const place = { path: `${cwd}/.roster/log.jsonl`, clock: systemClock, randomness: systemRandomness };
  const held = await fileStore(place).lock({ run: "r0", operation: "apply", at: new Date().toISOString() });
  if (!held.ok) throw new Error(held.error.message);
  onTestFinished(async () => {
    await held.value.close();
  });
  const began = performance.now();
  const { code, stderr } = await run(["--lock-timeout", "4s"]);
  expect({ code, isTold: /still locked after 4s/u.test(stderr) }).toEqual({ code: 8, isTold: true });
  expect(performance.now() - began).toBeLessThan(15_000);
});
