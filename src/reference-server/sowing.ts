import type { Account, User } from "./entities.ts";
import { quoted } from "./reply.ts";
import type { World } from "./world.ts";

/** Where in a seed: `["teams", 0, "admin"]`. */
export type SeedPath = readonly (string | number)[];

/** A part of a seed that cannot be as it says. */
export interface SeedFault {
  readonly path: SeedPath;
  readonly code: "seed-duplicate" | "seed-unknown-name" | "seed-empty";
  /** One sentence. */
  readonly message: string;
}

/** A world that is being filled from a seed, and what was found wrong with the seed so far. */
export class SeedLoader {
  readonly faults: SeedFault[] = [];
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** The account of that identifier; the first one where none is named. */
  account(identifier: string | undefined, path: SeedPath): Account | undefined {
    const [first] = this.world.accounts.values();
    const account = identifier === undefined ? first : this.world.accounts.get(identifier);
    if (account === undefined && identifier !== undefined) this.unknown("account", identifier, path);
    return account;
  }

  user(who: string, path: SeedPath): User | undefined {
    const user = this.world.user(who);
    if (user === undefined) this.unknown("user", who, path);
    return user;
  }

  /** False, with a fault for each reason, where the prefix is taken or a role is not there. */
  isKeyFree(wish: { readonly prefix?: string; readonly roles?: readonly string[] }, path: SeedPath): boolean {
    const before = this.faults.length;
    const { prefix, roles = [] } = wish;
    if (prefix !== undefined && this.world.keys.has(prefix)) this.duplicate("key", prefix, [...path, "prefix"]);
    for (const [index, role] of roles.entries()) {
      if (!this.world.roles.has(role)) this.unknown("role", role, [...path, "roles", index]);
    }
    return this.faults.length === before;
  }

  duplicate(what: string, value: string, path: SeedPath): void {
    this.faults.push({ path, code: "seed-duplicate", message: `The ${what} ${quoted(value)} is named twice` });
  }

  unknown(what: string, value: string, path: SeedPath): void {
    this.faults.push({ path, code: "seed-unknown-name", message: `There is no ${what} ${quoted(value)}` });
  }
}
