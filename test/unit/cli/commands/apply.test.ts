import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { Output } from "../../../../src/cli/host.ts";
import { systemClock, systemRandomness } from "../../../../src/library/environment.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import { emptyState } from "../../../../src/model/state.ts";
import type { Clock } from "../../../../src/ports/clock.ts";
import { additionIntent, openIntent } from "../../../support/event-builders.ts";
import { type InsideHost, inside } from "../../../support/inside.ts";
import { insideScene } from "../../../support/inside-scene.ts";
import { documentOf } from "../../../support/run-document.ts";

const applying = ["apply", "--auto-approve", "--format", "json"];

/** A host at which somebody does something once they are shown this. */
function shown(text: string, react: () => unknown, host: InsideHost): InsideHost {
  const watched = (output: Output): Output => ({
    ...output,
    write(written) {
      output.write(written);
      if (written.includes(text)) react();
    },
  });
  return { ...host, stdout: watched(host.stdout), stderr: watched(host.stderr) };
}

const question = "Apply this plan?";

/** The system's clock, until the test lets so many milliseconds pass at once. */
function clockSkipping(milliseconds: number): Clock & { skip(): void } {
  let skipped = 0;
  let skip = (): void => undefined;
  const skipping = new Promise<void>((resolve) => {
    skip = resolve;
  });
  return {
    now: () => systemClock.now() + skipped,
    monotonic: systemClock.monotonic,
    wait: (wished, signal) => Promise.race([skipping, systemClock.wait(wished, signal)]),
    skip() {
      skipped = milliseconds;
      skip();
    },
  };
}

test("a deadline that passes in the middle lets what is under way end, skips the rest (7), and the next run goes on", async () => {
  const clock = clockSkipping(60_000);
  const at = await insideScene({
    onRequest: (route) => {
      if (route === "create") clock.skip();
    },
  });
  const run = await at.run([...applying, "--deadline", "1m", "--parallelism", "1"], { clock });
  const { run: told } = documentOf(run);
  expect(run.code).toBe(7);
  expect(told?.ended).toMatchObject({ how: "stopped", why: "the time of --deadline is over" });
  expect(run.stderr).toContain("time is over");
  const before = at.writes().length;
  expect(before).toBeLessThan(5);
  expect((await at.run(applying)).code).toBe(0);
  expect(at.writes().length).toBe(5);
});

describe("somebody at a terminal", () => {
  /** Applies, while somebody does something once this is shown. */
  async function asked(text: string, react: (typed: PassThrough, host: InsideHost) => unknown, typedAhead = "") {
    const at = await insideScene();
    const typed = new PassThrough();
    typed.write(typedAhead);
    const host = at.host({ typed });
    const run = await inside(
      ["apply"],
      { cwd: at.cwd },
      shown(text, () => react(typed, host), host),
    );
    return { at, ended: [run.code, at.writes().length] };
  }

  test("is asked, and `yes` applies the plan", async () => {
    expect((await asked(question, (typed) => typed.write("yes\n"))).ended).toEqual([0, 5]);
  });

  test("has not approved by what was typed before the question was there (5)", async () => {
    expect((await asked(question, (typed) => typed.write("no\n"), "yes\n")).ended).toEqual([5, 0]);
  });

  const goes = (typed: PassThrough) => typed.end();
  const fails = (typed: PassThrough) => typed.destroy(new Error("EIO"));
  test.each([
    ["who goes away before the question", "Plan for", goes],
    ["who goes away at the question", question, goes],
    ["whose terminal fails before the question", "Plan for", fails],
    ["whose terminal fails at the question", question, fails],
  ])("%s has not approved (5)", async (_, text, leaves) => {
    expect((await asked(text, leaves)).ended).toEqual([5, 0]);
  });

  test("who interrupts at the question ends the command (130), and nothing was sent", async () => {
    const { at, ended } = await asked(question, (_, host) => host.interrupt("SIGINT"));
    expect(ended).toEqual([130, 0]);
    expect((await at.run(applying)).code).toBe(0);
  });
});

test("a state that another run holds is waited for with --lock-timeout, which tells who holds it, and then applied", async () => {
  const at = await insideScene();
  const store = fileStore({ path: `${at.cwd}/.roster/log.jsonl`, clock: systemClock, randomness: systemRandomness });
  const held = await store.lock({ run: "r0", operation: "apply", at: new Date().toISOString() });
  if (!held.ok) throw new Error(held.error.message);
  const clock: Clock = { ...systemClock, wait: async () => void (await held.value.close()) };
  const run = await at.run([...applying, "--lock-timeout", "5m"], { clock });
  expect([run.code, run.stderr.split("\n")[0]]).toEqual([
    0,
    expect.stringMatching(/^waiting for up to 5m: the log is locked by \S+@\S+/u),
  ]);
});

describe("an interrupt", () => {
  test("ends the wait for what an earlier run left to settle (130), before anything is read", async () => {
    const at = await insideScene();
    const now = new Date(systemClock.now()).toISOString();
    await at.remember({ ...emptyState("l"), serial: 1, open: [openIntent("r0", "a", additionIntent("bo"), now)] });
    const host = at.host({
      clock: {
        ...systemClock,
        async wait(_, signal) {
          host.interrupt("SIGTERM");
          expect(signal?.aborted).toBe(true);
        },
      },
    });
    const run = await inside(applying, { cwd: at.cwd }, host);
    expect([run.code, at.server.requests.length]).toEqual([143, 0]);
  });

  test("ends the wait for the lock (130), and the lock stays with its holder", async () => {
    const at = await insideScene();
    const host = at.host({
      clock: { ...systemClock, wait: async () => void host.interrupt("SIGINT") },
    });
    const place = { path: `${at.cwd}/.roster/log.jsonl`, clock: systemClock, randomness: host.randomness };
    const held = await fileStore(place).lock({ run: "r0", operation: "apply", at: new Date().toISOString() });
    if (!held.ok) throw new Error(held.error.message);
    const run = await inside([...applying, "--lock-timeout", "1h"], { cwd: at.cwd }, host);
    expect([run.code, at.server.requests.length]).toEqual([130, 0]);
    expect(run.stderr).toContain("waiting for up to 1h");
    expect((await at.run(applying)).code).toBe(8);
    await held.value.close();
    expect((await at.run(applying)).code).toBe(0);
  });
});
