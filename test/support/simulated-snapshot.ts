import { type EmailKey, foldAddress } from "../../src/model/address.ts";
import type { Capabilities, Visibility } from "../../src/model/capabilities.ts";
import { observed, unknown } from "../../src/model/fact.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { Snapshot, UserListStatus } from "../../src/model/snapshot.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import type { World } from "./simulated-world.ts";
import { type Hidden, type Hides, showUser } from "./visibility.ts";

export interface SnapshotOptions {
  readonly roster: Roster;
  readonly hides?: readonly Hidden[] | undefined;
  readonly everyone?: UserListStatus | undefined;
  readonly readAt?: string;
  readonly reads?: number;
  /** Who is asked for beside those whom the roster names. */
  readonly alsoAsked?: Iterable<EmailKey>;
}

const listed: UserListStatus = { read: "complete", by: "list" };

/** What a thorough observer would read from a world: every listed user, and every user whom the roster names. */
export function snapshotOf(world: World, options: SnapshotOptions): Snapshot {
  const hides: Hides = new Set(options.hides ?? []);
  const { users: wanted, leavers } = options.roster;
  const named = [...wanted.values()].flatMap((user) => [user.address, ...user.previously.map(({ value }) => value)]);
  const asked = new Set([...named, ...leavers.keys(), ...(options.alsoAsked ?? [])]);
  const shown = world.users.filter((user) => user.status !== "deleted" || asked.has(foldAddress(user.email)));
  const users = shown.map((user) => showUser(world, user, hides, "list"));
  const found = new Set(users.map((user) => user.address));
  const absent = [...asked].filter((address) => !found.has(address));
  const accounts = [...world.accounts.values()].map((account) => {
    const members = users
      .filter((_, index) => shown[index]?.account === account.identifier)
      .map((user) => user.address);
    const by = `account ${account.identifier}`;
    const shownMembers = hides.has("account-members") ? {} : { members };
    return [account.identifier, { ...account, by, ...shownMembers }] as const;
  });
  return {
    service: "https://simulated.example",
    readAt: options.readAt ?? "2026-11-20T10:00:00.000Z",
    times: { service: options.readAt ?? "2026-11-20T10:00:00.000Z" },
    reads: options.reads ?? 3,
    readings: new Map(),
    roles:
      world.roles.length === 0
        ? unknown("not read")
        : observed(
            world.roles.map((identifier) => ({ identifier })),
            "roles",
          ),
    accounts: new Map(accounts),
    users,
    absences: new Map(absent.map((address) => [address, { proven: true, by: "list" }])),
    everyone: options.everyone ?? listed,
    capabilities: capabilitiesOf(users),
  };
}

function capabilitiesOf(users: readonly ObservedUser[]): Capabilities {
  const keys = users.flatMap((user) => user.keys ?? []);
  return {
    keysOnUsers: judge(users, (user) => user.keys !== undefined),
    rolesOnKeys: judge(keys, (key) => key.roles !== undefined),
    teamsOnKeys: judge(keys, (key) => key.team !== undefined),
    titles: judge(users, (user) => user.title !== undefined),
    totals: "unknown",
    paging: { firstPage: "unknown" },
  };
}

function judge<T>(shown: readonly T[], tells: (one: T) => boolean): Visibility {
  if (shown.length === 0) return "unknown";
  return shown.some(tells) ? "shown" : "hidden";
}
