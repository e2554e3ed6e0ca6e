import fc from "fast-check";
import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import type { WallDraw } from "../virtual-time.ts";
import { type CompanyDraw, companies } from "./company.ts";
import type { DrawnSeed, DrawnService } from "./drawn-service.ts";
import { referenceService } from "./reference-service.ts";
import {
  allKnobs,
  everyPair,
  fewKnobs,
  pairsOf,
  presetKnobs,
  showsEverything,
  showsEverythingInTime,
} from "./reference-ways.ts";
import { secondService } from "./second-service.ts";
import {
  allWays,
  arePassing,
  arePlain,
  everyWay as everySecondWay,
  fewWays,
  type SecondWays,
  usualWays,
} from "./second-ways.ts";

/** A service, a company, and up to five applies. Plain data, so that it shrinks and can be replayed. */
export interface Draw {
  readonly service: ServiceDraw;
  readonly company: CompanyDraw;
  readonly seed: number;
  readonly runs: readonly RunDraw[];
}

/** Each kind of service with the ways in which it differs from what it usually is. */
export type ServiceDraw =
  | { readonly kind: "reference"; readonly ways: Partial<Knobs> }
  | { readonly kind: "second"; readonly ways: Partial<SecondWays> };

export interface RunDraw {
  readonly format: "text" | "json";
  readonly parallelism: number;
  readonly pause: number;
  /** How the clock of the machine goes that it runs on; right where it is absent. */
  readonly wall?: WallDraw | undefined;
  /** When it ends at the latest, so that what was lost stays open. */
  readonly deadline?: "1s" | "3s" | undefined;
}

export interface Opening {
  readonly seed: DrawnSeed;
  readonly origin: string;
  readonly start: number;
  readonly now: () => number;
  readonly random: () => number;
}

export function openService(service: ServiceDraw, { seed, origin, now, random }: Opening): DrawnService {
  switch (service.kind) {
    case "reference":
      return referenceService({ knobs: service.ways, seed, origin, now });
    case "second":
      return secondService({ ways: { ...usualWays, ...service.ways }, seed, now, random });
  }
}

/** Under which path the service is reached. */
export function basePathOf({ kind, ways }: ServiceDraw): string {
  return kind === "reference" && ways.basePath === "modzy" ? "/modzy" : "";
}

/** Milliseconds after which every write of a service shows everywhere. */
export function lagOf({ ways }: ServiceDraw): number {
  const lags = Object.entries(ways).flatMap(([name, value]) => (/Lag(?:Ms)?$/u.test(name) ? [Number(value)] : []));
  return Math.max(0, ...lags);
}

/** Whether nothing is hidden, late or disturbed, so that one run must reach the roster. */
export function isPlain({ service: { kind, ways }, company }: Draw): boolean {
  if (kind === "reference") return showsEverything(ways);
  return canBeReached(ways, company) && arePlain({ ...usualWays, ...ways });
}

/** Whether nothing is hidden, and what is late or disturbed passes, so that the last run must have reached the roster. */
export function isPassing({ service: { kind, ways }, company }: Draw): boolean {
  if (kind === "reference") return showsEverythingInTime(ways);
  return canBeReached(ways, company) && arePassing({ ...usualWays, ...ways });
}

function canBeReached(ways: Partial<SecondWays>, company: CompanyDraw): boolean {
  // Where nobody of the roster has a key of a team, and no key says that it is of none, nothing shows that teams are shown.
  const showsTeams = (company.oldTeam?.membersThere ?? 0) > 0 || ways.teamOfOwnKeys === "null";
  // No call changes the roles of a project's key, and a leaver's are to be taken away.
  const hasStubbornKey = company.hasLeaver && (ways.projectKeys ?? usualWays.projectKeys) === "one-each";
  return showsTeams && !hasStubbornKey;
}

/** The ways of a service, in words that can be compared with `everyWay`. */
export function waysOf({ kind, ways }: ServiceDraw): readonly string[] {
  if (kind === "reference") return pairsOf(ways).map((pair) => `reference ${pair}`);
  return Object.entries({ ...usualWays, ...ways }).map(([way, value]) => `second ${way}=${value}`);
}

export const everyWay: readonly string[] = [
  ...everyPair.map((pair) => `reference ${pair}`),
  ...everySecondWay.map(({ way, value }) => `second ${way}=${value}`),
];

/** The same service with fewer unusual ways: without a half of them, a quarter, and so on down to each one. */
export function calmer({ kind, ways }: ServiceDraw): readonly ServiceDraw[] {
  const entries = Object.entries(ways);
  const sizes = [2, 4, 8, entries.length].map((parts) => Math.ceil(entries.length / parts));
  return [...new Set(sizes)].flatMap((size) =>
    Array.from({ length: Math.ceil(entries.length / Math.max(1, size)) }, (_, part) => ({
      kind,
      ways: Object.fromEntries(entries.toSpliced(part * size, size)),
    })),
  );
}

/** Half the services change at most three ways, half draw every one; half are of either kind. */
const services: fc.Arbitrary<ServiceDraw> = fc.oneof(
  fc.oneof(fewKnobs, allKnobs, presetKnobs).map((ways) => ({ kind: "reference" as const, ways })),
  fc.oneof(fewWays, allWays).map((ways) => ({ kind: "second" as const, ways: unusual(ways) })),
);

function unusual(ways: SecondWays): Partial<SecondWays> {
  const usual: Readonly<Record<string, unknown>> = usualWays;
  return Object.fromEntries(Object.entries(ways).filter(([way, value]) => usual[way] !== value));
}

const minutes = 60_000;

const run: fc.Arbitrary<RunDraw> = fc.record({
  format: fc.constantFrom("text", "json"),
  parallelism: fc.constantFrom(1, 4, 10),
  pause: fc.constantFrom(0, 0, 2000, 30_000, 5 * minutes, 30 * minutes),
});

const hour = 60 * minutes;
const steps = fc.constantFrom(16 * minutes, -16 * minutes, hour, -hour);

/** A run in five is on a machine whose clock is right. */
const walls: fc.Arbitrary<WallDraw | undefined> = fc.option(
  fc.record({
    ahead: fc.oneof(fc.constant(0), steps),
    step: fc.option(fc.record({ after: fc.constantFrom(50, 500, 1500, 5000, 20_000), by: steps }), { nil: undefined }),
  }),
  { nil: undefined, freq: 4 },
);

export const draws: fc.Arbitrary<Draw> = fc.record({
  service: services,
  company: companies,
  seed: fc.nat(1_000_000),
  runs: fc.array(run, { minLength: 5, maxLength: 5 }),
});

/** Answers are lost, and reads show what was done only after 8 s. */
const lossy: Partial<Knobs> = {
  searchLagMs: 8000,
  listLagMs: 8000,
  detailLagMs: 8000,
  dropResponse: ["create@1", "create@3", "members@1"],
  readd: "reinvite",
};

const clockedRuns = fc.array(
  fc.record({ wall: walls, deadline: fc.constantFrom("1s" as const, "1s" as const, "3s" as const, undefined) }),
  { minLength: 3, maxLength: 3 },
);

/** The same with clocks that are wrong, or are set while a run works, one run right after the other; the last two have the right time. */
export const clockDraws: fc.Arbitrary<Draw> = fc.tuple(draws, clockedRuns).map(([draw, drawn]) => ({
  ...draw,
  service:
    draw.service.kind === "reference" ? { ...draw.service, ways: { ...draw.service.ways, ...lossy } } : draw.service,
  runs: draw.runs.map((run, index) => ({ ...run, ...drawn[index], pause: Math.min(run.pause, 2000) })),
}));

/** Whether every run has the right time, and as much of it as it needs. */
export function isInTime({ runs }: Draw): boolean {
  return runs.every(({ wall, deadline }) => wall === undefined && deadline === undefined);
}
