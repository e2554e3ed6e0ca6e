import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { creationIntent, openIntent, runStarted } from "../../support/event-builders.ts";
import { statePlace, unwrap } from "../../support/state-place.ts";

const program = fileURLToPath(import.meta.resolve("../../support/append-and-die.ts"));

test("a process that was killed while it held the state leaves what it was told is durable, and its lock goes to the next run by itself", async () => {
  const place = await statePlace();
  const child = spawnSync(process.execPath, ["--import", "tsx", program, place.path]);
  expect(child.signal).toBe("SIGKILL");
  expect(await place.kept()).toEqual(["log.jsonl", "log.jsonl.lock", "log.jsonl.open"]);
  const next = await place.session();
  expect(next.state.open).toEqual([openIntent("r1", "c", creationIntent("ada"))]);
  await next.append([runStarted("r2")]);
  // What the dead one began, and the next one's start, run, end and checkpoint.
  expect(unwrap(await next.close()).serial).toBe(4 + 4);
  expect(await place.kept()).toEqual(["log.jsonl", "log.jsonl.checkpoint"]);
});
