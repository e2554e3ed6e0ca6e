import { expect, onTestFinished, test } from "vitest";
import { roster } from "../support/command.ts";
import { insideScene } from "../support/inside-scene.ts";
import { holdingProxy } from "../support/passing-proxy.ts";

test("a run whose lock was broken sends nothing more, and a person says what became of its call", async () => {
  const { server, cwd, env, run: runAll, writes } = await insideScene();
  const gate = await holdingProxy(server.endpoint, onTestFinished);
  const run = (...args: readonly string[]) => runAll(args);

  const gated = { ...env, ROSTER_ENDPOINT: gate.endpoint };
  const held = roster(["apply", "--auto-approve", "--parallelism", "1"], { cwd, env: gated });
  await gate.reached;
  const looked = await run("state", "unlock");
  expect(looked.code).toBe(8);
  const id = /roster\s+state\s+unlock\s+(\S+)/u.exec(looked.stderr)?.[1] ?? "";
  expect(await run("state", "unlock", id)).toMatchObject({ code: 0, stderr: "" });

  const listed = await run("state", "resolve");
  expect(listed.stdout).toContain("create the team Red with the user ada@acme.example in acc-1");
  const call = /^ {2}([0-9a-f]{8}): /mu.exec(listed.stdout)?.[1] ?? "";
  const said = await run("state", "resolve", call, "not-done");
  expect({ code: said.code, told: said.stdout.includes("Recorded as not done") }).toEqual({ code: 0, told: true });

  gate.open();
  const stopped = await held;
  expect({ code: stopped.code, told: stopped.stdout.includes("The run was stopped") }).toEqual({ code: 7, told: true });
  expect(writes().length).toBe(1);
});
