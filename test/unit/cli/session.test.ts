import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandResult } from "../../../src/cli/output/finish.ts";
import { openSession, runCommand } from "../../../src/cli/session.ts";
import { lockState } from "../../../src/cli/stores/lock.ts";
import type { RosterError } from "../../../src/library/error.ts";
import { problem, success } from "../../../src/model/result.ts";
import { insideHost } from "../../support/inside.ts";

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "roster-session-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const base: CommandResult = { command: "state", tells: "success-only", diagnostics: [] };
const flags = { format: "text", state: "file:state.json" } as const;
const unsaved: RosterError = { reason: "failed", problem: { code: "state", message: "the disk is full" } };

function request(env: Readonly<Record<string, string>> = {}) {
  return { command: "state", flags, host: insideHost({ cwd, env }), needs: ["store"] } as const;
}

describe("a session", () => {
  test("has what was asked for, and nothing else", async () => {
    const session = await openSession(request());
    if (!session.ok) throw new Error("The session is not open.");
    const { store, ...rest } = session.value;
    expect([store.address, "policy" in rest && rest.policy, "service" in rest && rest.service]).toEqual([
      `file:${join(cwd, "state.json")}`,
      undefined,
      undefined,
    ]);
    expect(await session.value.close()).toEqual(success(undefined));
  });

  test("closes what was opened last first, each once, and goes on after an error", async () => {
    const session = await openSession(request());
    if (!session.ok) throw new Error("The session is not open.");
    const { onClose, close } = session.value;
    const closed: string[] = [];
    onClose(async () => void closed.push("first"));
    onClose(async () => {
      closed.push("second");
      return unsaved;
    });
    onClose(async () => void closed.push("third"));
    expect(await close()).toEqual(problem(unsaved));
    expect(await close()).toEqual(success(undefined));
    expect(closed).toEqual(["third", "second", "first"]);
  });

  test("says what is wrong before anything is opened", async () => {
    const session = await openSession(request({ ROSTER_PARALLELISM: "many" }));
    expect(session).toMatchObject({ error: { stop: { diagnostics: [{ code: "bad-parallelism" }] } } });
  });
});

describe("a command", () => {
  test("is stopped by what could not be saved, unless something else has stopped it", async () => {
    const stopped: RosterError = { reason: "stale" };
    const run = (result: CommandResult) =>
      runCommand(async (open) => {
        const session = await open(request());
        if (session.ok) session.value.onClose(async () => unsaved);
        return result;
      });
    expect(await run(base)).toEqual({ ...base, stop: unsaved });
    expect(await run({ ...base, stop: stopped })).toEqual({ ...base, stop: stopped });
  });

  test("gives its lock back where it throws", async () => {
    const failing = runCommand(async (open) => {
      const session = await open(request());
      if (session.ok) await lockState(session.value, "state resolve", { timeout: 0 });
      throw new Error("a defect");
    });
    await expect(failing).rejects.toThrow("a defect");
    const holder = await runCommand(async (open) => {
      const session = await open(request());
      if (!session.ok) return { ...base, ...session.error };
      const { address } = session.value.store;
      const read = await session.value.store.holder();
      return read.ok ? { ...base, state: { did: "look-at-lock", address, holder: read.value } } : base;
    });
    expect(holder.state).toEqual({ did: "look-at-lock", address: `file:${join(cwd, "state.json")}`, holder: "nobody" });
  });

  test("saves and unlocks once where it has closed the lock itself", async () => {
    const states = await runCommand(async (open) => {
      const session = await open(request());
      if (!session.ok) return { ...base, ...session.error };
      const locked = await lockState(session.value, "state resolve", { timeout: 0 });
      if (!locked.ok) return { ...base, stop: locked.error };
      const closed = await locked.value.lock.close((state) => ({ ...state, service: "https://a.example" }));
      return closed.ok ? base : { ...base, stop: unsaved };
    });
    expect(states).toEqual(base);
  });
});
