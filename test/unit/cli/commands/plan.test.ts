import { expect, test } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/cli/system.ts";
import { fileStore } from "../../../../src/state/file/store.ts";
import { insideScene } from "../../../support/inside-scene.ts";

test.each([
  [
    "plan",
    /^the state is locked \(apply by .+ since \S+, silent for \d+ s\): changes that this run has not made yet show as planned\n$/u,
  ],
  [
    "drift",
    /^the state is locked \(apply by .+ since \S+, silent for \d+ s\): what that run has announced is pending, and what it has not begun shows as to apply\n$/u,
  ],
])("a %s says that a run holds the state, and goes on", async (command, says) => {
  const at = await insideScene();
  const store = fileStore({ path: `${at.cwd}/.roster/state.json`, clock: systemClock, randomness: systemRandomness });
  const held = await store.lock({ run: "r0", operation: "apply", at: new Date().toISOString() });
  if (!held.ok) throw new Error(held.error.message);
  const under = await at.run([command]);
  await held.value.close();
  const after = await at.run([command]);
  expect({ codes: [under.code, after.code], after: after.stderr }).toEqual({
    codes: command === "plan" ? [0, 0] : [2, 2],
    after: "",
  });
  expect(under.stderr).toMatch(says);
});

test("a plan of a part of the roster does not speak of the rest", async () => {
  const at = await insideScene();
  expect((await at.run(["apply", "--auto-approve"])).code).toBe(0);
  const [part, all] = [await at.run(["plan", "--include", "user:ada@acme.example"]), await at.run(["plan"])];
  expect([part.stdout, all.stdout].map((text) => text.trimEnd().split("\n").at(-1))).toEqual([
    "No changes. The service matches the selected part of the roster. The rest was not compared.",
    "No changes. The service matches the roster.",
  ]);
});
