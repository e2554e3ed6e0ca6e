import fc from "fast-check";
import type { FaultTrigger } from "../../../src/reference-server/fault-triggers.ts";
import { presets } from "../../../src/reference-server/knobs/presets.ts";
import {
  defaultKnobs,
  type Knob,
  type Knobs,
  type KnobValue,
  knobRegistry,
} from "../../../src/reference-server/knobs/registry.ts";

/** Knobs that no draw turns, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  latencyMs: "the transport of these tests takes its own time",
  maxBodyBytes: "no request of a small company is large",
};

/** Values that no draw sets, each with the reason. A new knob's values are all drawn. */
const valuesLeftOut: Readonly<Record<string, string>> = {
  "envelope=unknown": "nothing can be read, so that no run does anything",
  "laterEnvelope=unknown": "nothing can be read, so that no run does anything",
};

/** What is drawn of a knob that counts, where its own lag or number means more than another one. */
const counts: Readonly<Record<string, readonly number[]>> = {
  maxPerPage: [1000, 10, 3],
  emptyPage: [0, 1, 2],
  repeatedRows: [0, 1, 3],
  searchMaxIdentifiers: [0, 1, 3],
  maxTitle: [0, 50],
  retryAfterSeconds: [1, 30, 120],
};

/** Ways in which a service proves nobody's absence: with one of them in every draw, no draw would create anybody. */
const provesNothing: readonly string[] = [
  "pageBase=ignored",
  "emptyPage=1",
  "emptyPage=2",
  "repeatedRows=1",
  "repeatedRows=3",
  "order=shuffle",
  "total=wrong-high",
  "credentialScope=team",
  "errorStatus=200",
  "searchMaxIdentifiers=1",
  "searchMaxIdentifiers=3",
];

const lags = [0, 2000, 30_000, 300_000, 1_800_000];

/** Few of the requests of a run, so that most others are served. */
const occasions: readonly (readonly FaultTrigger[])[] = [
  [],
  ["create@1"],
  ["create@2", "members@1"],
  ["members@1"],
  ["keys@1"],
  ["writes@every-3"],
  ["reads@every-9"],
];

/** Every knob that is drawn, with the values that it can take, the usual one first. */
export const knobValues: ReadonlyMap<string, readonly KnobValue[]> = new Map(
  [...knobRegistry].flatMap(([name, knob]) => (name in leftOut ? [] : [[name, valuesOf(name, knob)] as const])),
);

function valuesOf(name: string, knob: Knob): readonly KnobValue[] {
  const drawn = (value: KnobValue) => !(`${name}=${String(value)}` in valuesLeftOut);
  const others = othersOf(name, knob).filter(drawn);
  return [knob.otherwise, ...others.filter((value) => String(value) !== String(knob.otherwise))];
}

function othersOf(name: string, knob: Knob): readonly KnobValue[] {
  switch (knob.is) {
    case "choice":
      return Object.keys(knob.values);
    case "count":
      return counts[name] ?? (name.endsWith("Ms") ? lags : [knob.least, knob.otherwise + 1, knob.otherwise + 5]);
    case "occasions":
      return occasions;
  }
}

/** Most services prove something, and show most things at once: else no run would come to its writes. */
function drawnValue(name: string, values: readonly KnobValue[]): fc.Arbitrary<KnobValue> {
  const isHard = (value: KnobValue) =>
    provesNothing.includes(pair(name, value)) || (knobRegistry.get(name)?.is === "occasions" && String(value) !== "");
  const [hard, others] = [values.filter(isHard), values.filter((value) => !isHard(value))];
  const [usual = 0, ...lagging] = others;
  if (hard.length > 0) return mostly(12, fc.constantFrom(...others), hard);
  return name.endsWith("LagMs") ? mostly(3, fc.constant(usual), lagging) : fc.constantFrom(...others);
}

function mostly(weight: number, common: fc.Arbitrary<KnobValue>, rare: readonly KnobValue[]): fc.Arbitrary<KnobValue> {
  return fc.oneof({ weight, arbitrary: common }, { weight: 1, arbitrary: fc.constantFrom(...rare) });
}

export const allKnobs: fc.Arbitrary<Partial<Knobs>> = fc
  .record(Object.fromEntries([...knobValues].map(([name, values]) => [name, drawnValue(name, values)])))
  .map(turned);

export const fewKnobs: fc.Arbitrary<Partial<Knobs>> = fc
  .uniqueArray(
    fc
      .constantFrom(...knobValues)
      .chain(([name, values]) => fc.constantFrom(...values.slice(1)).map((value) => [name, value] as const)),
    { maxLength: 3, selector: ([name]) => name },
  )
  .map((entries) => turned(Object.fromEntries(entries)));

export const presetKnobs: fc.Arbitrary<Partial<Knobs>> = fc
  .tuple(fc.constantFrom(...Object.values(presets)), fewKnobs)
  .map(([preset, few]) => turned({ ...preset.knobs, ...few }));

/**
 * Knobs as they usually are say nothing about a draw. Each value was taken from its own knob. A refusal has a status or a body: of one
 * that is 200 and empty nobody could tell that it is none.
 */
function turned(knobs: Readonly<Record<string, KnobValue>>): Partial<Knobs> {
  const usual: Readonly<Record<string, KnobValue>> = defaultKnobs;
  const isSilent = knobs["errorStatus"] === "200" && knobs["error"] === "X8";
  return Object.fromEntries(
    Object.entries(isSilent ? { ...knobs, errorStatus: "own" } : knobs).filter(
      ([name, value]) => String(usual[name]) !== String(value),
    ),
  ) as Partial<Knobs>;
}

/** The pairs of name and value of a draw, those that are as usual among them. */
export function pairsOf(knobs: Partial<Knobs>): readonly string[] {
  const set: Readonly<Record<string, KnobValue>> = { ...defaultKnobs, ...knobs };
  return [...knobValues.keys()].map((name) => pair(name, set[name] ?? ""));
}

export const everyPair: readonly string[] = [...knobValues].flatMap(([name, values]) =>
  values.map((value) => pair(name, value)),
);

function pair(name: string, value: KnobValue): string {
  return `${name}=${String(value)}`;
}

/** Ways that hide nothing and disturb nothing: whoever differs from the usual by these alone is reached in one run. */
export const harmless: Readonly<Record<string, "any" | readonly string[]>> = {
  pageBase: ["one-alias", "one-strict", "one-empty", "zero"],
  maxPerPage: "any",
  overMaxPerPage: ["clamp", "ignore"],
  pastEnd: "any",
  order: ["stable", "shuffle-ties"],
  sortable: "any",
  sortUnknown: "any",
  envelope: ["L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10"],
  link: "any",
  total: ["body", "header", "both", "none"],
  showKeys: ["accessKeys", "listAccessKeys"],
  showKeyRoles: ["objects", "names"],
  showKeyKinds: ["kind", "keyType"],
  fields: "any",
  showTitles: "any",
  userWords: "any",
  identifiers: "any",
  statusCase: "any",
  times: "any",
  oddities: ["none", "extra-fields", "nulls"],
  accountDetails: "any",
  roleList: "any",
  search: "any",
  create: ["C1", "C2", "C3", "C5", "C6", "C7", "C11"],
  createStatus: "any",
  membersStatus: "any",
  putRolesStatus: "any",
  showTeams: ["full", "flat"],
  memberIdentifiers: "any",
  members: ["M1", "M2", "M3", "M3-201", "M4", "M4-list", "M5", "M5-201", "M6"],
  putRolesAnswer: ["roles", "key", "empty"],
  error: "any",
  searchMatch: "any",
  match: ["ci"],
  emailCase: "any",
  externalId: "any",
  texts: "any",
  conflict: ["409", "400", "422", "500", "200", "second-user"],
  deleted: "any",
  firstMemberRoles: "any",
  putRoles: ["replace", "keep-TEAM_ROLE", "reject-without-TEAM_ROLE"],
  roleKinds: "any",
  readd: "any",
  authOnAccounts: "any",
  readers: "any",
  basePath: "any",
  keyLagStatus: "any",
  flakyStatus: "any",
  retryAfter: "any",
  retryAfterSeconds: "any",
  dropResponseAs: "any",
  redirectStatus: "any",
  redirectTo: "any",
};

/** Ways that delay, refuse or fail something for a while: runs that come later reach the roster all the same. */
export const passing: Readonly<Record<string, "any" | readonly string[]>> = {
  conflict: ["409-though-created"],
  searchLagMs: "any",
  listLagMs: "any",
  detailLagMs: "any",
  shownKeyLagMs: "any",
  keyLagMs: "any",
  teamLagMs: "any",
  memberLagMs: "any",
  flaky: "any",
  throttleAfterEffect: "any",
  crossedAnswer: "any",
  dropResponse: "any",
  hang: "any",
  hangBody: "any",
  reset: "any",
  html200: "any",
  redirect: "any",
};

export function showsEverything(knobs: Partial<Knobs>): boolean {
  return areAmong([harmless], knobs);
}

/** Whatever is delayed, refused or failed is over in time. What hits every third write for ever may hit one write of each of five runs. */
export function showsEverythingInTime(knobs: Partial<Knobs>): boolean {
  return (
    areAmong([harmless, passing], knobs) &&
    !Object.values(knobs).some((value) => String(value).includes("writes@every"))
  );
}

function areAmong(tables: readonly (typeof harmless)[], knobs: Partial<Knobs>): boolean {
  const usual: Readonly<Record<string, unknown>> = defaultKnobs;
  return Object.entries(knobs).every(([name, value]) => {
    const isAllowed = ({ [name]: allowed = [] }: typeof harmless) =>
      allowed === "any" || allowed.includes(String(value));
    return String(usual[name]) === String(value) || tables.some(isAllowed);
  });
}
