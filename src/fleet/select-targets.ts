import { closestMatch } from "../model/address.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Target } from "./expand-fleet.ts";
import type { Shard } from "./outcomes.ts";

/** A selector that matches no target, and the name that was most likely meant. */
interface UnknownSelector {
  readonly selector: string;
  readonly near?: string;
}

/** The targets that any of the selectors matches, in the order of the fleet; all of them where there is none. */
export function selectTargets(
  targets: readonly Target[],
  selectors: readonly string[],
): Result<readonly Target[], UnknownSelector> {
  const idle = selectors.find((selector) => !targets.some((target) => target.name === selector));
  if (idle !== undefined) return problem(unknownSelector(idle, targets));
  if (selectors.length === 0) return success(targets);
  return success(targets.filter((target) => selectors.some((selector) => target.name === selector)));
}

function unknownSelector(selector: string, targets: readonly Target[]): UnknownSelector {
  const near = closestMatch(
    selector,
    targets.map(({ name }) => name),
  );
  return near === undefined ? { selector } : { selector, near };
}

/** Gives out targets one at a time, so that a slow or dead origin holds up no other. */
export interface TargetQueue {
  /** The next target to run; nothing where none is left. */
  take(): Target | undefined;
  /** A target that was taken has ended. */
  end(target: Target): void;
}

/** Next is the first target of an origin of which the fewest run. */
export function targetQueue(targets: readonly Target[]): TargetQueue {
  const waiting = new Map<string, Target[]>();
  const running = new Map<string, number>();
  for (const target of targets) {
    const origin = originOf(target);
    const others = waiting.get(origin);
    if (others === undefined) waiting.set(origin, [target]);
    else others.push(target);
  }
  const count = (origin: string, by: number) => running.set(origin, (running.get(origin) ?? 0) + by);
  return {
    take() {
      let chosen: string | undefined;
      for (const [origin, { length }] of waiting) {
        const isFreer = chosen === undefined || (running.get(origin) ?? 0) < (running.get(chosen) ?? 0);
        if (length > 0 && isFreer) chosen = origin;
      }
      if (chosen === undefined) return undefined;
      count(chosen, 1);
      return waiting.get(chosen)?.shift();
    },
    end: (target) => void count(originOf(target), -1),
  };
}

/** Scheme, host and port; an address that is none is an origin of its own. */
function originOf({ endpoint }: Target): string {
  return URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint;
}

/** The targets of one shard, in the order of the fleet. */
export function shardTargets<One extends { readonly name: string }>(
  targets: readonly One[],
  { number, of }: Shard,
  digest: (text: string) => string,
): readonly One[] {
  return splitTargets(targets, of, digest)[number - 1] ?? [];
}

/**
 * The targets of each shard, in the order of the fleet. The targets are cut into equal parts in the order of their digests: shards
 * differ by one target at most, and a new target moves one other at each cut at most.
 */
function splitTargets<One extends { readonly name: string }>(
  targets: readonly One[],
  of: number,
  digest: (text: string) => string,
): readonly (readonly One[])[] {
  const byDigest = targets.map((target) => ({ target, key: digest(target.name) })).sort(byKey);
  const shardOf = new Map(byDigest.map(({ target }, at) => [target, Math.floor((at * of) / targets.length)]));
  const shards = Array.from({ length: of }, (): One[] => []);
  for (const target of targets) shards[shardOf.get(target) ?? 0]?.push(target);
  return shards;
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

const pattern = /^(auto|[1-9]\d{0,4})\/([1-9]\d{0,4})$/u;

/** Reads `2/4`, or `auto/4` with the index of an Indexed Job of Kubernetes, which counts from 0. */
export function readShard(said: string, completionIndex: string | undefined): Shard | undefined {
  const [, which = "", count = ""] = pattern.exec(said) ?? [];
  const index = /^\d{1,5}$/u.test(completionIndex ?? "") ? Number(completionIndex) + 1 : 0;
  const number = which === "auto" ? index : Number(which);
  const of = Number(count);
  return number >= 1 && number <= of ? { number, of } : undefined;
}

/** A job of a pipeline: its name, and the flags of `roster fleet` that choose its targets. Both are safe in YAML and in a shell. */
interface FleetJob {
  readonly name: string;
  readonly flags: string;
  /** The variable that has the key of its one target. */
  readonly key?: string;
}

/** What a matrix says of a target. */
interface MatrixTarget {
  readonly name: string;
  /** The variable that has its key. */
  readonly key?: string;
}

export type MatrixFormat = "github" | "gitlab";

/** As many jobs as these systems take in one matrix. */
const mostJobs: Readonly<Record<MatrixFormat, number>> = { github: 256, gitlab: 200 };

/** The matrix of a pipeline with a job for each target, or for several where there are too many. */
export function formatMatrix(
  format: MatrixFormat,
  targets: readonly MatrixTarget[],
  digest: (text: string) => string,
): string {
  const jobs = jobsOf(targets, mostJobs[format], digest);
  return format === "github" ? githubMatrix(jobs) : gitlabJobs(jobs);
}

function jobsOf(targets: readonly MatrixTarget[], most: number, digest: (text: string) => string): readonly FleetJob[] {
  if (targets.length <= most)
    return targets.map(({ name, key }) => ({ name, flags: `--only ${name}`, ...(key === undefined ? {} : { key }) }));
  const parts = splitTargets(targets, most, digest);
  return parts.map((part, index) => ({
    name: `${index + 1}-of-${most}`,
    flags: part.map(({ name }) => `--only ${name}`).join(" "),
  }));
}

/** For `strategy.matrix`, on one line. */
function githubMatrix(jobs: readonly FleetJob[]): string {
  return `${JSON.stringify({ include: jobs })}\n`;
}

/** A job of a child pipeline that extends `.fleet`. A child pipeline without a job would fail. */
function gitlabJobs(jobs: readonly FleetJob[]): string {
  if (jobs.length === 0) return 'no-target:\n  script: ["true"]\n';
  const entries = jobs.map(({ name, flags }) => `      - FLEET_JOB: "${name}"\n        FLEET_FLAGS: "${flags}"\n`);
  return `fleet:\n  extends: .fleet\n  parallel:\n    matrix:\n${entries.join("")}`;
}
