import { describe, expect, onTestFinished, test } from "vitest";
import type { AuditTrail } from "../../../../src/ports/state-store.ts";
import { describeTrail, trailLines } from "../../../support/audit-trail-contract.ts";
import { noon } from "../../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../../support/fixed-ports.ts";
import { bucketCredentials, openS3TrailAt } from "../../../support/s3-place.ts";
import { closedEndpoint } from "../../../support/scripted-server.ts";
import { type SmallS3, smallS3 } from "../../../support/small-s3.ts";
import { failureOf, unwrap } from "../../../support/state-place.ts";

const ports = { clock: clockAt(noon), randomness: countingRandomness() };

async function place(suffix?: ".audit/" | "/"): Promise<{ readonly server: SmallS3; open(): AuditTrail }> {
  const server = await smallS3(ports);
  onTestFinished(() => server.close());
  const address = `s3://acme/roster/state.json?endpoint=${server.endpoint}`;
  return { server, open: () => openS3TrailAt(address, { ...ports, ...(suffix === undefined ? {} : { suffix }) }) };
}

describeTrail({
  name: "s3, on a small service of our own",
  async place() {
    const { open } = await place();
    return {
      open: async () => open(),
      openUnreachable: async () =>
        openS3TrailAt(`s3://acme/state.json?endpoint=${(await closedEndpoint()).origin}`, ports),
    };
  },
  secrets: Object.values(bucketCredentials),
});

const first = "roster/state.json.audit/00000001.jsonl";
const second = "roster/state.json.audit/00000002.jsonl";
const lines = trailLines(4000);

/** As an object holds them. */
const textOf = (from: number, to: number) =>
  lines
    .slice(from, to)
    .map((line) => `${line}\n`)
    .join("");

/** How many lines fill the first object. */
const full = lines.findIndex((_, index) => Buffer.byteLength(textOf(0, index)) >= 256 * 1024);

const linesIn = (text = "") => text.split("\n").length - 1;

describe("an audit trail in a bucket", () => {
  test.each([
    [".audit/", "roster/state.json.audit/"],
    ["/", "roster/state.json/"],
  ] as const)("is in objects whose names go on with %s, and says so", async (suffix, directory) => {
    const { server, open } = await place(suffix);
    const trail = open();
    unwrap(await trail.append(lines.slice(0, 2), 0));
    expect(trail.address).toBe(`s3://acme/${directory}`);
    expect(server.text(`${directory}00000001.jsonl`)).toBe(`${lines[0]}\n${lines[1]}\n`);
  });

  test("begins the next object where the last one is full, and never changes one before", async () => {
    const { server, open } = await place();
    unwrap(await open().append(lines.slice(0, 1), 0));
    unwrap(await open().append(lines.slice(1, full + 5), 1));
    const kept = [server.text(first), server.text(second)].map(linesIn);
    expect(kept).toEqual([full, 5]);
    unwrap(await open().append(lines.slice(full + 5, full + 6), full + 5));
    expect(server.text(first) === textOf(0, full)).toBe(true);
    expect(server.text(second)).toBe(textOf(full, full + 6));
  });

  test("finds its end among many objects with few reads, and lists nothing", async () => {
    const { server, open } = await place();
    const name = (number: number) => `roster/state.json.audit/${String(number).padStart(8, "0")}.jsonl`;
    for (let number = 1; number <= 300; number += 1) server.put(name(number), `${lines[number - 1]}\n`);
    expect(unwrap(await open().last())).toBe(lines[299]);
    expect(server.seen.map(({ method }) => method)).toEqual(Array.from({ length: 18 }, () => "GET"));
    expect(server.seen.slice(0, 11).map(({ url }) => Number(/(\d+)\.jsonl$/u.exec(url)?.[1]))).toEqual([
      1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 384,
    ]);
  });

  test.each(["answer-lost", "done-and-500"] as const)(
    "is written where a read shows so, although the answer was lost (%s)",
    async (way) => {
      const { server, open } = await place();
      const trail = open();
      unwrap(await trail.append(lines.slice(0, 1), 0));
      let puts = 0;
      server.answer(({ method }) => {
        puts += method === "PUT" ? 1 : 0;
        return method === "PUT" && puts === 1 ? way : "usual";
      });
      unwrap(await trail.append(lines.slice(1, 2), 1));
      unwrap(await trail.append(lines.slice(2, 3), 2));
      expect(unwrap(await open().read())).toEqual(lines.slice(0, 3));
    },
  );

  test.each([
    ["which it rewrites", 1],
    ["which is full", full],
  ])("lets one of two runs that add records behind the same one write, after an object %s", async (_, before) => {
    const { open } = await place();
    unwrap(await open().append(lines.slice(0, before), 0));
    const runs = [open(), open()];
    for (const run of runs) unwrap(await run.last());
    const next = [lines.slice(before, before + 1), lines.slice(before, before + 900)];
    const added = await Promise.all(runs.map((run, index) => run.append(next[index] ?? [], before)));
    expect(added.filter(({ ok }) => ok)).toHaveLength(1);
    const winner = next[added.findIndex(({ ok }) => ok)] ?? [];
    expect(unwrap(await open().read())).toEqual([...lines.slice(0, before), ...winner]);
  });

  test.each([
    ["nothing", ""],
    ["half a line", (lines[0] ?? "").slice(0, 20)],
  ])("is not continued where its last object holds %s", async (_, text) => {
    const { server, open } = await place();
    server.put(first, text);
    for (const asked of [open().last(), open().append(lines.slice(0, 1), 0)]) {
      expect(await failureOf(asked)).toEqual({
        code: "state",
        message: `the audit trail could not be read at s3://acme/${first}: the object does not end with a whole line: another program changed it`,
        request: `s3://acme/${first}`,
        hint: "restore an earlier version of the object, or name another place with ROSTER_AUDIT=URL; ROSTER_AUDIT=none goes on without a trail",
      });
    }
  });

  test("that the credentials do not cover says what they need", async () => {
    const { server, open } = await place();
    server.answer(({ method }) => (method === "PUT" ? { status: 403, code: "AccessDenied" } : "usual"));
    expect(await failureOf(open().append(lines.slice(0, 1), 0))).toEqual({
      code: "state",
      message: `the audit trail could not be written at s3://acme/${first}: the credentials have no permission for this`,
      request: `s3://acme/${first}`,
      status: 403,
      serviceSays: "The small service says no.",
      hint: "allow s3:GetObject and s3:PutObject on the state, its .lock and its audit trail, and s3:ListBucket on the bucket, or name another place with ROSTER_AUDIT=URL; ROSTER_AUDIT=none goes on without a trail",
    });
  });
});
