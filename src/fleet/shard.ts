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
 * The targets of each shard, in the order of the fleet. Each target prefers shards in an order of its own, and gets the first
 * that has room: shards differ by one target at most, and a new target moves few others.
 */
export function splitTargets<One extends { readonly name: string }>(
  targets: readonly One[],
  of: number,
  digest: (text: string) => string,
): readonly (readonly One[])[] {
  const room = Array.from({ length: of }, (_, shard) => Math.floor((targets.length + of - 1 - shard) / of));
  const byDigest = targets.map((target) => ({ target, key: digest(target.name) })).sort(byKey);
  const chosen = new Map<One, number>();
  for (const { target } of byDigest) {
    const preferred = room.map((_, shard) => ({ shard, key: digest(`${shard + 1}/${target.name}`) })).sort(byKey);
    const shard = preferred.find((one) => (room[one.shard] ?? 0) > 0)?.shard ?? 0;
    room[shard] = (room[shard] ?? 0) - 1;
    chosen.set(target, shard);
  }
  return room.map((_, shard) => targets.filter((target) => chosen.get(target) === shard));
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
