import { describe, expect, test } from "vitest";
import { emptyTrail, encodeAuditLines, verifyTrail } from "../../src/codec/audit.ts";
import type { AuditTrail } from "../../src/ports/state-store.ts";
import { noon } from "./event-builders.ts";
import { sha256 } from "./fixed-ports.ts";
import { failureOf, unwrap } from "./state-place.ts";

/** One place for one audit trail, which goes away with the test. */
export interface TrailPlace {
  /** A trail as one more process would open it. */
  open(): Promise<AuditTrail>;
  /** A trail with the same credentials, at an address where nobody answers. Absent where nothing is connected to. */
  readonly openUnreachable?: () => Promise<AuditTrail>;
}

export interface TrailKind {
  readonly name: string;
  place(): Promise<TrailPlace>;
  /** What may be in no address and no failure, such as a password in the address. */
  readonly secrets: readonly string[];
}

/** Lines of a trail, from the first record. */
export function trailLines(count: number, plan = "completed" as const): readonly string[] {
  const records = Array.from({ length: count }, (_, index) => ({
    kind: "run-ended" as const,
    at: noon,
    run: `Zoë-${index + 1}`,
    plan,
  }));
  return encodeAuditLines(records, emptyTrail, sha256).lines;
}

const lines = trailLines(6);

/** What every audit trail promises, wherever it is kept. */
export function describeTrail(kind: TrailKind): void {
  describe(`the contract of audit trails: ${kind.name}`, () => {
    describeGrowing(kind);
    describeRaces(kind);
    describeMany(kind);
    describeSecrets(kind);
  });
}

function describeGrowing(kind: TrailKind): void {
  test("a trail that was never written is empty", async () => {
    const trail = await (await kind.place()).open();
    expect([unwrap(await trail.last()), unwrap(await trail.read())]).toEqual([undefined, []]);
    await trail.close();
  });

  test("each run finds the last line of the one before, and adds its own behind it", async () => {
    const place = await kind.place();
    for (const after of [0, 2, 4]) {
      const trail = await place.open();
      expect(unwrap(await trail.last())).toBe(lines.slice(0, after).at(-1));
      unwrap(await trail.append(lines.slice(after, after + 1), after));
      unwrap(await trail.append(lines.slice(after + 1, after + 2), after + 1));
      expect(unwrap(await trail.last())).toBe(lines[after + 1]);
      await trail.close();
    }
    expect(unwrap(await (await place.open()).read())).toEqual(lines);
  });

  test("a trail without a line may begin with any number, as where older records were put away", async () => {
    const trail = await (await kind.place()).open();
    unwrap(await trail.append(lines.slice(4), 4));
    expect([unwrap(await trail.last()), unwrap(await trail.read())]).toEqual([lines[5], lines.slice(4)]);
  });

  test("two places have trails of their own", async () => {
    const [one, other] = [await kind.place(), await kind.place()];
    unwrap(await (await one.open()).append(lines, 0));
    expect(unwrap(await (await other.open()).read())).toEqual([]);
  });
}

function describeRaces(kind: TrailKind): void {
  const refused = {
    code: "state",
    message: expect.stringMatching(/^the audit trail could not be written at .+: another program (?:added|wrote)/u),
    hint: expect.stringContaining("ROSTER_AUDIT=none goes on without a trail"),
  };

  test.each([
    ["an earlier record", 1],
    ["no record", 0],
    ["a record that is not there", 5],
  ])("nothing is added behind %s where another one is the last", async (_, after) => {
    const place = await kind.place();
    unwrap(await (await place.open()).append(lines.slice(0, 3), 0));
    const trail = await place.open();
    expect(await failureOf(trail.append(lines.slice(after, after + 1), after))).toMatchObject(refused);
    expect(unwrap(await trail.read())).toEqual(lines.slice(0, 3));
  });

  test("nothing is added behind a number that is not the last one's, by whoever wrote that", async () => {
    const trail = await (await kind.place()).open();
    unwrap(await trail.append(lines.slice(0, 3), 0));
    expect(await failureOf(trail.append(lines.slice(2, 3), 2))).toMatchObject(refused);
    expect(unwrap(await trail.read())).toEqual(lines.slice(0, 3));
  });

  test("what another run added since the last look is noticed, and kept", async () => {
    const place = await kind.place();
    const [one, other] = [await place.open(), await place.open()];
    unwrap(await one.append(lines.slice(0, 1), 0));
    unwrap(await other.last());
    unwrap(await one.append(lines.slice(1, 2), 1));
    expect(await failureOf(other.append(trailLines(2, "completed").slice(1), 1))).toMatchObject(refused);
    unwrap(await one.append(lines.slice(2, 3), 2));
    expect(unwrap(await one.read())).toEqual(lines.slice(0, 3));
  });

  test("what another run added between two of one's own is noticed, and kept", async () => {
    const place = await kind.place();
    const [one, other] = [await place.open(), await place.open()];
    unwrap(await one.append(lines.slice(0, 1), 0));
    unwrap(await other.append(lines.slice(1, 2), 1));
    expect(await failureOf(one.append(lines.slice(1, 3), 1))).toMatchObject(refused);
    expect(unwrap(await other.read())).toEqual(lines.slice(0, 2));
  });
}

function describeMany(kind: TrailKind): void {
  test("far more lines than one write or object holds are read back in their order", async () => {
    const place = await kind.place();
    const many = trailLines(9000);
    const trail = await place.open();
    unwrap(await trail.append(many.slice(0, 4000), 0));
    for (let from = 4000; from < 4300; from += 100) unwrap(await trail.append(many.slice(from, from + 100), from));
    await trail.close();
    const next = await place.open();
    expect(unwrap(await next.last())).toBe(many[4299]);
    unwrap(await next.append(many.slice(4300), 4300));
    expect([unwrap(await next.last()), unwrap(await next.read())]).toEqual([many.at(-1), many]);
    await next.close();
  });
}

function describeSecrets(kind: TrailKind): void {
  test("no address and no failure holds a secret", async () => {
    const place = await kind.place();
    const unreachable = await place.openUnreachable?.();
    const said = [(await place.open()).address, unreachable?.address ?? ""];
    if (unreachable !== undefined) {
      for (const asked of [unreachable.last(), unreachable.read(), unreachable.append(lines, 0)]) {
        const failure = await failureOf(asked);
        expect(failure).toMatchObject({
          code: "state",
          message: expect.stringMatching(/^the audit trail could not be (?:read|written) at /u),
          hint: expect.stringContaining(
            "name another place with ROSTER_AUDIT=URL; ROSTER_AUDIT=none goes on without a trail",
          ),
        });
        said.push(JSON.stringify(failure));
      }
      await unreachable.close();
    }
    for (const secret of kind.secrets) expect(said.join("\n")).not.toContain(secret);
  });
}

/** The calls that a trail has, sorted, once its chain of hashes is checked. */
export async function verifiedCalls(trail: AuditTrail): Promise<readonly string[]> {
  const verified = await verifyTrail(unwrap(await trail.read()), undefined, sha256);
  if (!verified.ok) throw new Error(`record ${verified.error.record} ${verified.error.why}`);
  const kinds = verified.value.records.map(({ record }) => record.kind);
  expect([kinds[0], kinds.at(-1)]).toEqual(["run-started", "run-ended"]);
  return verified.value.records
    .flatMap(({ record }) => (record.kind === "call" ? [`${record.call} ${record.person} ${record.outcome}`] : []))
    .sort();
}
