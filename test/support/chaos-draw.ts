import fc from "fast-check";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { type CompanyDraw, companies, people } from "./chaos-company.ts";
import { type FaultName, faultNames, type KillPoint, killPoints } from "./fault.ts";
import type { WallDraw } from "./virtual-time.ts";

/** A company, a service, and runs in which everything may go wrong. Plain data, so that it shrinks. */
export interface ChaosDraw {
  readonly company: CompanyDraw;
  readonly service: ServiceDraw;
  /** Where the state is kept: what can be appended to, or what is written whole each time. */
  readonly state: "file" | "bucket";
  readonly runs: readonly RunDraw[];
}

export interface ServiceDraw {
  /** Whether every read shows everything; else what somebody else does to it cannot be known. */
  readonly showsAll: boolean;
  readonly knobs: Partial<Knobs>;
}

/** One run, and what happens before and in it. */
export interface RunDraw {
  /** Which edition of the roster it applies. */
  readonly edition: number;
  readonly parallelism: number;
  readonly tampering: readonly TamperingDraw[];
  readonly faults: readonly FaultDraw[];
  readonly kill: KillDraw | undefined;
  /** Milliseconds until the next run. */
  readonly pause: number;
  /** What befalls the requests to the bucket of the state, where there is one. */
  readonly stateFault: StateFaultDraw | undefined;
  /** Whether the state is lost after it, where the service shows everything. */
  readonly losesState: boolean;
  /** How the clock of the machine goes that it runs on; right where it is absent. */
  readonly wall?: WallDraw;
}

/** Counts requests of a kind from 1. */
export interface Place {
  readonly among: "all" | "writes" | "creations" | "additions";
  readonly number: number;
}

export interface FaultDraw {
  readonly place: Place;
  readonly fault: FaultName;
  /** How many requests in a row it befalls. */
  readonly lasts: number;
}

export interface KillDraw {
  readonly place: Place;
  readonly when: KillPoint;
  /** After the answer: turns of the event loop until the end. */
  readonly turns: number;
}

export interface StateFaultDraw {
  /** Which request of the run, from 1. */
  readonly number: number;
  readonly how: "lost" | "answer-lost" | "done-and-500";
}

/** What somebody else does: to a person, in a team. Left out where it cannot be done. */
export interface TamperingDraw {
  readonly does: "adds-user" | "adds-member" | "sets-roles" | "deletes-user";
  readonly person: number;
  readonly team: number;
  readonly roles: readonly string[];
}

function placeAmong(among: Place["among"], max: number): fc.Arbitrary<Place> {
  return fc.record({ among: fc.constant(among), number: fc.integer({ min: 1, max }) });
}

/** Mostly among the calls that must never be sent twice. */
const place: fc.Arbitrary<Place> = fc.oneof(
  { weight: 4, arbitrary: placeAmong("creations", 4) },
  { weight: 4, arbitrary: placeAmong("additions", 2) },
  { weight: 2, arbitrary: placeAmong("writes", 12) },
  { weight: 1, arbitrary: placeAmong("all", 40) },
);

const run: fc.Arbitrary<RunDraw> = fc.record({
  edition: fc.nat(2),
  parallelism: fc.constantFrom(1, 4, 10),
  tampering: fc.array(
    fc.record({
      does: fc.constantFrom("adds-user", "adds-member", "sets-roles", "deletes-user"),
      person: fc.nat(people - 1),
      team: fc.nat(2),
      roles: fc.subarray(["TEAM_ROLE", "DEVELOPER", "ACCOUNT_ADMIN"]),
    }),
    { maxLength: 2 },
  ),
  faults: fc.array(fc.record({ place, fault: fc.constantFrom(...faultNames), lasts: fc.constantFrom(1, 1, 1, 2, 5) }), {
    maxLength: 3,
  }),
  kill: fc.option(
    fc.record({ place, when: fc.constantFrom(...killPoints, "after-commit" as const), turns: fc.nat(6) }),
    { nil: undefined, freq: 2 },
  ),
  pause: fc.constantFrom(0, 0, 0, 0, 300, 3000, 10_000),
  stateFault: fc.option(
    fc.record({
      number: fc.integer({ min: 1, max: 25 }),
      how: fc.constantFrom("lost" as const, "answer-lost" as const, "done-and-500" as const),
    }),
    { nil: undefined, freq: 1 },
  ),
  losesState: fc.nat(5).map((drawn) => drawn === 0),
});

/** Searches and lists mostly lag alike: only where none shows somebody can they be taken for absent. */
const lags: fc.Arbitrary<Partial<Knobs>> = fc.constantFrom(
  {},
  { searchLagMs: 1000, listLagMs: 1000, detailLagMs: 1000 },
  { searchLagMs: 4000, listLagMs: 4000, detailLagMs: 4000 },
  { searchLagMs: 4000, listLagMs: 4000, detailLagMs: 4000 },
  { searchLagMs: 3000, listLagMs: 3000, detailLagMs: 3000 },
  { searchLagMs: 0, listLagMs: 4000, detailLagMs: 4000 },
  { searchLagMs: 4000, listLagMs: 0 },
);

const whole: readonly ServiceDraw[] = [
  { showsAll: true, knobs: {} },
  { showsAll: true, knobs: { showKeys: "listAccessKeys", showKeyRoles: "names" } },
];

const inPart: readonly ServiceDraw[] = [
  { showsAll: false, knobs: { showTeams: "name" } },
  { showsAll: false, knobs: { showTeams: "identifier" } },
  { showsAll: false, knobs: { showTeams: "text" } },
  { showsAll: false, knobs: { showTeams: "created-only" } },
  { showsAll: false, knobs: { showTeams: "none" } },
  { showsAll: false, knobs: { showKeys: "none" } },
  { showsAll: false, knobs: { showKeyRoles: "none" } },
];

const showing: fc.Arbitrary<ServiceDraw> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...whole) },
  { weight: 1, arbitrary: fc.constantFrom(...inPart) },
);

const ways: fc.Arbitrary<Partial<Knobs>> = fc.record({
  create: fc.constantFrom(
    "C1",
    "C1",
    "C2",
    "C3",
    "C4",
    "C5",
    "C6",
    "C7",
    "C8",
    "C9",
    "C10",
    "C10-ambiguous",
    "C11",
    "C12",
  ),
  members: fc.constantFrom("M1", "M1", "M2", "M3", "M4", "M4-list", "M5", "M5-201", "M6", "M7"),
  search: fc.constantFrom("S1", "S1", "S2", "S3", "S4", "S5", "S6", "S7"),
  conflict: fc.constantFrom("409", "400", "422", "500", "200"),
  readd: fc.constantFrom("409", "noop", "reinvite", "remove"),
  accountDetails: fc.constantFrom("A1", "A2", "A3", "A4", "no-users"),
  firstMemberRoles: fc.constantFrom("TEAM_ROLE", "ACCOUNT_ADMIN+TEAM_ROLE"),
  maxPerPage: fc.constantFrom(100, 3, 1),
  pageBase: fc.constantFrom("one-alias", "one-strict", "zero"),
  teamLagMs: fc.constantFrom(0, 0, 0, 2000),
  memberLagMs: fc.constantFrom(0, 0, 0, 2000),
  keyLagMs: fc.constantFrom(0, 0, 0, 2000),
}) as fc.Arbitrary<Partial<Knobs>>;

export const chaosDraws: fc.Arbitrary<ChaosDraw> = fc.record({
  company: companies,
  service: fc
    .tuple(showing, ways, lags)
    .map(([{ showsAll, knobs }, way, late]) => ({ showsAll, knobs: { ...way, ...late, ...knobs } })),
  state: fc.constantFrom("file", "file", "bucket"),
  runs: fc.array(run, { minLength: 2, maxLength: 5 }),
});
