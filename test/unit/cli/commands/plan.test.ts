import { expect, test } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/library/system.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import { insideScene, twoPeople } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

test.each([
  [
    "plan",
    /^The log is locked by .+ for apply since \S+\. Changes that this run has not made yet show as planned\.\n$/u,
  ],
  [
    "drift",
    /^The log is locked by .+ for apply since \S+\. Calls in progress show as pending, and later ones as not applied\.\n$/u,
  ],
])("a %s says that a run holds the state, and goes on", async (command, says) => {
  const at = await insideScene();
  const store = fileStore({ path: `${at.cwd}/.roster/log.jsonl`, clock: systemClock, randomness: systemRandomness });
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

test("a change that needs a person throughout is a task in every output, and no plan without changes", async () => {
  const at = await insideScene();
  expect((await at.run(["apply", "--auto-approve"])).code).toBe(0);
  const renamed = twoPeople.replace("Diaz", "Dias").replace(", { user: bo@acme.example }", "");
  await writeRoster(at.cwd, { "roster.yaml": renamed });
  const inFormat = (format: string) => at.run(["plan", "--detailed-exitcode", "--format", format]);
  const [text, markdown, json, github] = [
    await inFormat("text"),
    await inFormat("markdown"),
    await inFormat("json"),
    await inFormat("github"),
  ];
  expect([text, markdown, json, github].map(({ code }) => code)).toEqual([9, 9, 9, 9]);
  expect(text.stdout.trimEnd().split("\n").at(-2)).toBe("Nothing to apply. 2 tasks are left for a person.");
  expect(markdown.stdout.split("\n").slice(1, 4)).toEqual([
    expect.stringMatching(/^## Plan for `.*`: 2 tasks$/u),
    "",
    "- Nothing to apply. 2 tasks are left for a person.",
  ]);
  expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 9, actions: [], summary: { blocking_findings: 2 } });
  expect(github.stdout.match(/^::error /gmu)).toHaveLength(2);
  for (const { stdout } of [text, markdown, github]) expect(stdout).not.toMatch(/no changes/iu);
  expect((await at.run(["plan"])).code).toBe(0);
});
