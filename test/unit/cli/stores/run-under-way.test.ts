import { expect, test } from "vitest";
import { reportActiveRun } from "../../../../src/cli/stores/run-under-way.ts";
import { type Failure, problem, type Result, success } from "../../../../src/model/result.ts";
import type { LockHolder, StateStore } from "../../../../src/ports/state-store.ts";
import { insideHost } from "../../../support/inside.ts";

const unused = () => Promise.reject(new Error("not asked for"));

async function told(address: string, holder: () => Promise<Result<LockHolder | "nobody", Failure>>): Promise<string> {
  const host = insideHost({ cwd: "/" });
  const rest = { lock: unused, read: unused, unlock: unused, verify: unused, close: unused };
  const store: StateStore = { address, holder, ...rest };
  await reportActiveRun(store, host);
  return host.told.stderr;
}

const since = "2026-11-20T09:00:00.000Z";

test.each<[string, string, () => Promise<Result<LockHolder | "nobody", Failure>>, string]>([
  [
    "by whom and since when, where a run holds the state",
    "file:state.json",
    async () => success({ id: "l-1", who: "ada@build-7", operation: "apply", since }),
    `the state is locked (apply by ada@build-7 since ${since}): while that run is under way, what it has not done yet shows as a change\n`,
  ],
  ["nothing where nobody does", "file:state.json", async () => success("nobody"), ""],
  ["nothing where it cannot be known", "s3://b/k", async () => problem({ code: "state", message: "no answer" }), ""],
  ["nothing of a state server, which would have to be asked for its lock", "https://states.example/1", unused, ""],
])("it is told %s", async (_, address, holder, line) => {
  expect(await told(address, holder)).toBe(line);
});
