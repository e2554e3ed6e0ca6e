import fc from "fast-check";
import { expect, test } from "vitest";
import { readAllUsers } from "../../src/library/read-everything.ts";
import { foldAddress } from "../../src/model/address.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { DesiredUser } from "../../src/model/user.ts";
import { observe } from "../../src/observe/observe.ts";
import { importFiles } from "../../src/roster/import/files.ts";
import { type ImportedAccount, type ImportedRoster, importSnapshot } from "../../src/roster/import/import-snapshot.ts";
import { readGeneral } from "../../src/yaml/general.ts";
import type { Node } from "../../src/yaml/source-text.ts";
import { writeYaml, YamlBlock, YamlComment, type YamlMap, type YamlValue } from "../../src/yaml/write.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { drawnWorld, worldDraws } from "../support/arbitrary-world.ts";
import { codePoint } from "../support/code-point.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { aState, planned } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { picker } from "../support/random-situations.ts";
import { aRoster } from "../support/roster-builders.ts";
import { faultsOf, rosterFrom } from "../support/roster-text.ts";
import { simulatedService } from "../support/simulated-service.ts";
import type { Hidden } from "../support/visibility.ts";
import { yamlPieces } from "../support/yaml-pieces.ts";

// Slow machines may take their time; the number of runs is what is bounded.
const hides = fc.subarray<Hidden>(
  [
    "keys",
    "roles",
    "teams",
    "team-identifiers",
    "user-identifiers",
    "user-accounts",
    "user-profiles",
    "account-members",
  ],
  { maxLength: 2 },
);
const wishes = fc
  .record({
    draw: worldDraws,
    hides: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: hides }),
    accounts: fc.constantFrom(["acc-1", "acc-2"], ["acc-1", "acc-2"], ["acc-1"], ["acc-2"]),
  })
  .map((wish) => ({ ...wish, areAll: wish.accounts.length === 2 }));
type Wish = typeof wishes extends fc.Arbitrary<infer T> ? T : never;

function portsFor({ draw, hides: hidden }: Wish) {
  const service = simulatedService({ world: drawnWorld(draw), hides: hidden });
  const clock = clockAt("2026-11-20T10:00:00.000Z");
  return { service, clock, progress: () => undefined, parallelism: 4 };
}

async function read(wish: Wish): ReturnType<typeof readAllUsers> {
  return readAllUsers(wish.accounts, portsFor(wish));
}

function textsOf(adoption: ImportedRoster): Record<string, string> {
  const files = importFiles(adoption, {
    schemaFor: () => "schemas/roster.schema.json",
    imported: { service: "https://simulated.example", at: "2026-11-20T10:00:00.000Z" },
  });
  return Object.fromEntries(files.map(({ file, text }) => [file, text]));
}

function rosterOf(files: Record<string, string>): Roster {
  const making = rosterFrom(files);
  expect({ faults: faultsOf(making), files }).toEqual({ faults: [], files });
  return making.roster ?? aRoster({});
}

async function planFrom(
  roster: Roster,
  wish: Wish,
): Promise<{ actions: readonly unknown[]; blocking: readonly string[] }> {
  const question = { roster, state: aState(), everyone: "when-needed", assumeAbsentTeams: [] } as const;
  const snapshot = await observe(question, portsFor(wish));
  if (!snapshot.ok) throw new Error(snapshot.error.message);
  const { actions, findings } = planned({ roster, snapshot: snapshot.value });
  return {
    actions,
    blocking: findings.filter(({ kind }) => kind === "task").map(({ code, message }) => `${code}: ${message}`),
  };
}

test("a plan made from what was imported is empty, and every file is a roster file", async () => {
  await alwaysAsync({ seed: 41, numRuns: runs(1000) }, wishes, async (wish) => {
    const files = textsOf(importSnapshot({ ...(await read(wish)), ...wish }));
    expect({ ...(await planFrom(rosterOf(files), wish)), files }).toEqual({ actions: [], blocking: [], files });
  });
});

test("what was imported says just what was adopted, letter by letter", async () => {
  await alwaysAsync({ seed: 42, numRuns: runs(500) }, wishes, async (wish) => {
    const adoption = importSnapshot({ ...(await read(wish)), ...wish });
    const { users, teams, keys } = rosterOf(textsOf(adoption));
    const found = <T>(of: (account: ImportedAccount) => { readonly found: readonly T[] }) =>
      adoption.accounts.flatMap((account) => of(account).found);
    expect([...users.values()].map(withoutPlaces)).toEqual(found(({ users: adopted }) => adopted));
    expect(new Set(teams.map(({ name, identifier }) => `${identifier?.value} ${name}`))).toEqual(
      new Set(found(({ teams: adopted }) => adopted).map(({ name, identifier }) => `${identifier} ${name}`)),
    );
    expect(keys.map(({ prefix, owner, roles }) => [prefix, owner?.value, roles])).toEqual(
      found(({ keys: adopted }) => adopted).map(({ prefix, owner, roles }) => [prefix, foldAddress(owner), roles]),
    );
  });
});

test("what was imported is the same to the byte, in whatever order users were read", async () => {
  await alwaysAsync({ seed: 43, numRuns: runs(300) }, wishes, fc.nat(), async (wish, seed) => {
    const everyone = await read(wish);
    const users = picked(everyone.snapshot.users, picker(seed));
    const shuffled = { ...everyone, snapshot: { ...everyone.snapshot, users } };
    expect(textsOf(importSnapshot({ ...shuffled, ...wish }))).toEqual(
      textsOf(importSnapshot({ ...everyone, ...wish })),
    );
  });
});

function withoutPlaces({ account: _account, place: _place, because: _because, ownKeyRoles, ...rest }: DesiredUser) {
  const { previously: _none, distinctFrom: _nobody, ...user } = rest;
  return ownKeyRoles === undefined ? user : { ...user, ownKeyRoles: ownKeyRoles.value };
}

function picked<T>(list: readonly T[], pick: (choices: number) => number): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(pick(left.length), 1));
}

const hostile = fc.array(fc.constantFrom(...yamlPieces), { maxLength: 8 }).map((parts) => parts.join(""));
const text = fc.oneof(
  hostile,
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const names = fc.uniqueArray(fc.constantFrom("a", "b", "key", "roles"), { minLength: 1, maxLength: 4 });
const remark = text.map((said) => new YamlComment(said));

const { part } = fc.letrec<{ part: YamlValue; list: Items; map: Items }>((tie) => ({
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    text,
    ...[tie("list"), tie("map")].flatMap((items) => [items, items.map((one) => new YamlBlock(one))]),
  ),
  list: fc
    .tuple(fc.array(tie("part"), { maxLength: 4 }), fc.array(remark, { maxLength: 1 }))
    .map(([items, said]) => [...items, ...said]),
  map: fc
    .record({ keys: names, values: fc.array(tie("part"), { minLength: 4, maxLength: 4 }), said: remark })
    .map(({ keys, values, said }) => ({
      ...Object.fromEntries(keys.map((key, index) => [key, values[index] ?? ""])),
      "# said": said,
    })),
}));

type Items = readonly YamlValue[] | YamlMap;

function meant(written: YamlValue): unknown {
  if (typeof written !== "object") return written;
  const items: unknown = written instanceof YamlBlock ? written.items : written;
  if (Array.isArray(items)) return items.flatMap((item) => (item instanceof YamlComment ? [] : [meant(item)]));
  return Object.entries(Object(items)).flatMap(([key, value]) =>
    value instanceof YamlComment ? [] : [[key, meant(value as YamlValue)]],
  );
}

function readNode(node: Node): unknown {
  if (node.kind === "scalar") return node.type === "string" ? node.text : { type: node.type };
  if (node.kind === "list") return node.items.map(readNode);
  return node.entries.map(({ key, value }) => [key.text, readNode(value)]);
}

test("what is written reads back as what was meant, whatever the texts and comments hold", () => {
  always({ seed: 31, numRuns: runs(3000) }, part, text, (value, said) => {
    const written = writeYaml([said], { value });
    const { tree, diagnostics } = readGeneral("f", new TextEncoder().encode(written));
    expect({ told: diagnostics, value: tree?.entries.map((one) => readNode(one.value)) }).toEqual({
      told: [],
      value: [meant(value)],
    });
  });
});
