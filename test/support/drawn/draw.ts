import fc from "fast-check";
import type { Knobs } from "../../../src/reference-server/knobs.ts";
import { type CompanyDraw, companies } from "./company.ts";
import type { DrawnSeed, DrawnService } from "./drawn-service.ts";
import { referenceService } from "./reference-service.ts";
import { allKnobs, everyPair, fewKnobs, longestLag, pairsOf } from "./reference-ways.ts";
import { showsEverything } from "./showing-ways.ts";

/** A service, a company, and up to five applies. Plain data, so that it shrinks and can be replayed. */
export interface Draw {
  readonly service: ServiceDraw;
  readonly company: CompanyDraw;
  readonly seed: number;
  readonly runs: readonly RunDraw[];
}

/** One line for each kind of service. */
export type ServiceDraw = { readonly kind: "reference"; readonly ways: Partial<Knobs> };

export interface RunDraw {
  readonly format: "text" | "json";
  readonly parallelism: number;
  /** Milliseconds before it, at least. */
  readonly pause: number;
}

export interface Opening {
  readonly seed: DrawnSeed;
  readonly origin: string;
  readonly start: number;
  readonly now: () => number;
  readonly random: () => number;
}

export function openService({ ways }: ServiceDraw, { seed, origin, now }: Opening): DrawnService {
  return referenceService({ knobs: ways, seed, origin, now });
}

/** Under which path the service is reached. */
export function basePathOf({ ways }: ServiceDraw): string {
  return ways.basePath === "modzy" ? "/modzy" : "";
}

/** Milliseconds after which every write of a service shows everywhere. */
export function lagOf({ ways }: ServiceDraw): number {
  return longestLag(ways);
}

/** Whether nothing is hidden, late or disturbed, so that one run must reach the roster. */
export function isPlain({ ways }: ServiceDraw): boolean {
  return showsEverything(ways);
}

/** The ways of a service, in words that can be compared with `everyWay`. */
export function waysOf({ kind, ways }: ServiceDraw): readonly string[] {
  return pairsOf(ways).map((pair) => `${kind} ${pair}`);
}

export const everyWay: readonly string[] = everyPair.map((pair) => `reference ${pair}`);

/** The same service with one of its ways as it usually is, for each that is not. */
export function withOneWayUsual({ kind, ways }: ServiceDraw): readonly ServiceDraw[] {
  const entries = Object.entries(ways);
  return entries.map((_, index) => ({ kind, ways: Object.fromEntries(entries.toSpliced(index, 1)) }));
}

/** Half the services change at most three ways, half draw every one. */
const services: fc.Arbitrary<ServiceDraw> = fc
  .oneof(fewKnobs, allKnobs)
  .map((ways) => ({ kind: "reference" as const, ways }));

const minutes = 60_000;

const run: fc.Arbitrary<RunDraw> = fc.record({
  format: fc.constantFrom("text", "json"),
  parallelism: fc.constantFrom(1, 4, 10),
  pause: fc.constantFrom(0, 0, 2000, 30_000, 5 * minutes, 30 * minutes),
});

export const draws: fc.Arbitrary<Draw> = fc.record({
  service: services,
  company: companies,
  seed: fc.nat(1_000_000),
  runs: fc.array(run, { minLength: 5, maxLength: 5 }),
});
