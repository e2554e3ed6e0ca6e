import { describe, expect, test } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/library/system.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";

async function held(at: InsideScene) {
  const store = fileStore({ path: `${at.cwd}/.roster/log.jsonl`, clock: systemClock, randomness: systemRandomness });
  const session = await store.lock({ run: "r0", operation: "apply", at: new Date().toISOString() });
  if (!session.ok) throw new Error(session.error.message);
  return session.value;
}

describe("roster state unlock", () => {
  test("says that nobody holds the lock (0)", async () => {
    const at = await insideScene();
    const run = await at.run(["state", "unlock"]);
    expect([run.code, run.stdout]).toEqual([0, `No run holds the lock of file:${at.cwd}/.roster/log.jsonl.\n`]);
  });

  test("says who holds the lock, and which ID breaks it (8); then that run cannot save anything any more", async () => {
    const at = await insideScene();
    const session = await held(at);
    const looked = await at.run(["state", "unlock", "--format", "json"]);
    const { state, error } = JSON.parse(looked.stdout) as {
      state: { holder: { id: string; operation: string } };
      error: { code: string; hint: string };
    };
    const { id, operation } = state.holder;
    expect([looked.code, error.code, operation]).toEqual([8, "locked", "apply"]);
    expect(error.hint).toContain(`roster state unlock ${id}`);
    const broken = await at.run(["state", "unlock", id]);
    expect(broken.code).toBe(0);
    expect(broken.stdout).toContain("cannot save anything any more");
    await expect(session.append([{ type: "sequenced", at: new Date().toISOString(), sequence: 1 }])).rejects.toThrow();
    await session.close();
    expect((await at.run(["apply", "--auto-approve"])).code).toBe(0);
  });

  test("breaks no other lock", async () => {
    const at = await insideScene();
    const session = await held(at);
    expect((await at.run(["state", "unlock", "4711"])).code).toBeGreaterThan(0);
    expect((await at.run(["state", "unlock"])).code).toBe(8);
    await session.close();
  });
});
