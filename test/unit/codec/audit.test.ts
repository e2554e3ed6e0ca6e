import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyTrail, encodeAuditLines, trailEnd, verifyTrail } from "../../../src/codec/audit.ts";
import { foldAddress } from "../../../src/model/address.ts";
import type { AuditRecord } from "../../../src/model/audit.ts";
import { roleSet } from "../../../src/model/role-set.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const at = "2026-11-20T12:00:00.000Z";

const records: readonly AuditRecord[] = [
  {
    kind: "run-started",
    at,
    run: "r-1",
    command: "apply",
    actor: { name: "olga", source: "github" },
    commit: "abc",
    pipeline: "https://ci.example/7",
    state: "lineage-1",
    allowed: ["max-new-users@3f2a90c1d4e5b678"],
  },
  { kind: "plan", at, run: "r-1", plan: "p-1", service: "https://simulated.example", actions: 2 },
  {
    kind: "call",
    at,
    run: "r-1",
    action: "replace-roles:k-1",
    call: "replace-roles",
    outcome: "done",
    person: foldAddress("ada@acme.example"),
    team: { name: "Science", account: "acc-1", identifier: "t-1" },
    prefix: "k-1",
    rolesBefore: roleSet(["ACCOUNT_ADMIN"]),
    rolesAfter: roleSet([]),
    announcedAt: at,
    announcedBy: "r-0",
    why: "it was lost",
    ownership: { owner: "platform-team", note: "on call" },
  },
  { kind: "key-learned", at, run: "r-1", person: foldAddress("ada@acme.example"), prefix: "k-1" },
  { kind: "state-changed", at, run: "r-1" },
  { kind: "run-ended", at, run: "r-1", plan: "completed" },
];

const whole = encodeAuditLines(records, emptyTrail, digest);

describe("an audit trail", () => {
  test("is read back as it was written, and ends where the writer says", async () => {
    const verified = await verifyTrail(whole.lines, whole.end, digest);
    expect(verified).toMatchObject({ ok: true, value: { end: { records: 6 } } });
    expect(verified.ok && verified.value.records.map(({ record }) => record)).toEqual(records);
    expect(trailEnd(whole.lines.at(-1) ?? "", digest)).toEqual({ ok: true, value: whole.end });
  });

  test("is the same in one piece and in several", () => {
    const first = encodeAuditLines(records.slice(0, 2), emptyTrail, digest);
    const rest = encodeAuditLines(records.slice(2), first.end, digest);
    expect([...first.lines, ...rest.lines]).toEqual(whole.lines);
    expect(rest.end).toEqual(whole.end);
  });

  test("may begin with a later record, where older ones are kept elsewhere", async () => {
    expect(await verifyTrail(whole.lines.slice(3), whole.end, digest)).toMatchObject({ ok: true });
  });

  test("shows any change, cut, addition or exchange of its lines", async () => {
    const tampered = fc.oneof(
      fc.record({ at: fc.nat(5), with: fc.nat(25) }).map(({ at: line, with: letter }) => {
        const text = whole.lines[line] ?? "";
        const place = (letter * 7) % text.length;
        const other = text[place] === "x" ? "y" : "x";
        return whole.lines.with(line, text.slice(0, place) + other + text.slice(place + 1));
      }),
      fc
        .nat(5)
        .map((line) => whole.lines.toSpliced(line, 1))
        .filter((lines) => lines.length < 6),
      fc.nat(5).map((line) => whole.lines.toSpliced(line, 0, whole.lines[line] ?? "")),
      fc
        .tuple(fc.nat(5), fc.nat(5))
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => whole.lines.with(a, whole.lines[b] ?? "").with(b, whole.lines[a] ?? "")),
    );
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(tampered, async (lines) => {
        // A trail without its first record looks like one whose beginning is kept elsewhere.
        fc.pre(lines[0] === whole.lines[0] || lines.length === 6);
        changed += 1;
        expect((await verifyTrail(lines, whole.end, digest)).ok).toBe(false);
      }),
    );
    expect(changed).toBeGreaterThan(20);
  });

  const broken: Readonly<Record<string, readonly [lines: readonly string[], why: object]>> = {
    "a record that was changed": [
      whole.lines.with(1, (whole.lines[1] ?? "").replace("p-1", "p-2")),
      { record: 2, why: "was changed after it was written" },
    ],
    "the last record, changed": [
      whole.lines.with(5, (whole.lines[5] ?? "").replace("completed", "stopped")),
      { record: 6, why: "differs from the one that the state remembers" },
    ],
    "a record that was taken out": [
      whole.lines.toSpliced(2, 1),
      { record: 3, why: "is missing: record 4 stands in its place" },
    ],
    "an end that was cut off": [
      whole.lines.slice(0, 4),
      { record: 6, why: "is missing: the state remembers it, but the trail ends with record 4" },
    ],
    "no record at all": [[], { record: 6, why: "is missing: the state remembers it, but the trail is empty" }],
    "a line that is no record": [
      whole.lines.with(0, '{"record":1}'),
      { record: 1, why: "is not a record that this version of roster knows" },
    ],
  };
  test.each(Object.entries(broken))("says which record is wrong: %s", async (_, [lines, why]) => {
    expect(await verifyTrail(lines, whole.end, digest)).toEqual({ ok: false, error: why });
  });
});
