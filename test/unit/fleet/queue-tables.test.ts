import { expect, test } from "vitest";
import { jobId, readJob, type Sql, takeTurn } from "../../../src/fleet/queue-tables.ts";
import type { Clock } from "../../../src/ports/clock.ts";

const drift = { target: "acme", command: "drift", commit: "c0ffee", round: "r" };
const apply = { ...drift, command: "apply", expectedPlan: "0123456789abcdef" };

test.each([drift, apply])("a job is taken: %j", (job) => {
  expect(readJob({ ...job })).toEqual(job);
});

test.each([
  [undefined],
  [null],
  ["drift"],
  [[drift]],
  [{}],
  [{ ...drift, target: "../acme" }],
  [{ ...drift, target: 7 }],
  [{ ...drift, command: "plan" }],
  [{ ...drift, commit: "" }],
  [{ ...drift, round: "" }],
  [{ ...drift, round: "r\u001b[2J" }],
  [{ ...drift, round: "r".repeat(201) }],
  [{ ...drift, commit: "c0ffee\nTasks: none" }],
  [{ ...drift, endpoint: "https://evil.example" }],
  [{ ...drift, expectedPlan: "0123456789abcdef" }],
  [{ ...apply, expectedPlan: undefined }],
  [{ ...apply, expectedPlan: "all" }],
  [{ ...apply, allow: ["max-new-users#0123456789ab"] }],
])("anything else is refused: %j", (data) => {
  expect(readJob(data)).toBeUndefined();
});

test("a target has one job in a round", () => {
  const job = { ...drift, command: "drift" } as const;
  expect(jobId(job)).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
  expect(jobId({ ...job, commit: "other" })).toBe(jobId(job));
  expect(new Set([jobId(job), jobId({ ...job, round: "s" }), jobId({ ...job, target: "bolt" })]).size).toBe(3);
});

test("a call waits for its turn, for another one as often as it comes too late, and for a database that is away", async () => {
  let time = 0;
  const waits: number[] = [];
  const clock: Clock = {
    now: () => time,
    monotonic: () => time,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      // Twelve times, the machine was busy for a second more.
      time += milliseconds + (waits.length > 2 && waits.length <= 14 ? 1000 : 0);
    },
  };
  const asked: (readonly unknown[])[] = [];
  const sql: Sql = async (_statement, values = []) => {
    asked.push(values);
    if (asked.length === 1) throw new Error("the database is away");
    if (asked.length === 2) return [];
    return [{ wait: "40.5", call: `until ${waits.length}` }];
  };
  const end = await takeTurn(sql, { origin: "https://a.example", atOnce: 3, perSecond: 10 }, clock);
  await end();
  const times = <T>(count: number, value: (at: number) => T) => Array.from({ length: count }, (_, at) => value(at));
  expect(waits).toEqual([200, 200, ...times(13, () => 40.5)]);
  const [turn, ended] = [["https://a.example", 125, 3], (at: number) => ["https://a.example", `until ${at}`]];
  // A turn that was missed is given back.
  expect(asked).toEqual([turn, turn, ...times(13, (at) => [turn, ended(at + 2)]).flat()]);
});
