import type { Shard } from "./outcomes.ts";

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
export function splitTargets<One extends { readonly name: string }>(
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
