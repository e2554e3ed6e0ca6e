import { type EmailKey, foldAddress } from "../../src/model/address.ts";
import { type Located, type Place, reasonAt } from "../../src/model/fact.ts";
import type { DesiredKey } from "../../src/model/key.ts";
import type { Roster } from "../../src/model/roster.ts";
import { type DesiredMember, type DesiredTeam, teamKeyOf } from "../../src/model/team.ts";
import type { DesiredUser, Leaver } from "../../src/model/user.ts";
import { type Ownership, roleSet } from "../../src/model/values.ts";

/** A place in a file that nobody looks at; tests that care give their own. */
export function at(line: number, file = "roster.yaml"): Place {
  return { file, line, column: 3 };
}

function located<T>(value: T, line = 1): Located<T> {
  return { value, place: at(line) };
}

export interface UserWish {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly title?: string | undefined;
  readonly externalIdentifier?: string | undefined;
  readonly source?: string | undefined;
  readonly account?: string | undefined;
  readonly previously?: readonly string[] | undefined;
  readonly ownKeyRoles?: readonly string[] | undefined;
  readonly key?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly distinctFrom?: readonly string[] | undefined;
  readonly ownership?: Ownership | undefined;
  readonly line?: number | undefined;
}

/** A user named by the local part of an address: `aUser("ada")` is ada@acme.example, Ada Test. */
export function aUser(name: string, wish: UserWish = {}): DesiredUser {
  const { firstName, lastName, account, previously, ownKeyRoles, key, from, until, line = 1, ...rest } = wish;
  const { distinctFrom = [], ...profile } = rest;
  return {
    address: addressOf(name),
    email: emailOf(name),
    firstName: firstName ?? firstNameOf(name),
    lastName: lastName ?? "Test",
    account: account ?? "acc-1",
    previously: (previously ?? []).map((former) => located(addressOf(former), line)),
    distinctFrom: distinctFrom.map((other) => located(addressOf(other), line)),
    place: at(line),
    because: [reasonAt(at(line), "user")],
    ...profile,
    ...(ownKeyRoles === undefined
      ? {}
      : { ownKeyRoles: { ...located(roleSet(ownKeyRoles), line), because: [reasonAt(at(line), "own-key-roles")] } }),
    ...(key === undefined ? {} : { key: located(key, line) }),
    ...(from === undefined ? {} : { from: located(from, line) }),
    ...(until === undefined ? {} : { until: located(until, line) }),
  };
}

export function firstNameOf(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export interface LeaverWish {
  readonly account?: string | undefined;
  readonly since?: string | undefined;
  readonly ownership?: Ownership | undefined;
  readonly by?: Leaver["by"] | undefined;
  readonly key?: string | undefined;
  readonly teamKeys?: readonly string[] | undefined;
  readonly line?: number | undefined;
}

/** Somebody listed under `leavers`, unless the wish says that their `until` has come. */
export function aLeaver(name: string, wish: LeaverWish = {}): Leaver {
  const { by = "leavers", key, teamKeys = [], line = 1, ...rest } = wish;
  return {
    address: addressOf(name),
    email: emailOf(name),
    by,
    teamKeys: teamKeys.map((prefix) => located(prefix, line)),
    place: at(line),
    because: [reasonAt(at(line), "leaver")],
    ...rest,
    ...(key === undefined ? {} : { key: located(key, line) }),
  };
}

export interface TeamWish {
  readonly account?: string | undefined;
  readonly identifier?: string | undefined;
  readonly previously?: readonly string[] | undefined;
  readonly admin?: string | undefined;
  readonly firstMember?: string | undefined;
  readonly open?: boolean | undefined;
  readonly onRemoval?: DesiredTeam["onRemoval"] | undefined;
  readonly members?: readonly (string | MemberWish)[] | undefined;
  /** The exact roles of every member's key; absent where they are not managed. */
  readonly roles?: readonly string[] | undefined;
  readonly ownership?: Ownership | undefined;
  readonly line?: number | undefined;
}

interface MemberWish {
  readonly user: string;
  readonly roles?: readonly string[] | undefined;
  readonly key?: string | undefined;
  readonly ownership?: Ownership | undefined;
}

export function aTeam(name: string, wish: TeamWish = {}): DesiredTeam {
  const line = wish.line ?? 1;
  const account = wish.account ?? "acc-1";
  return {
    key: teamKeyOf(account, name),
    name,
    account,
    previously: (wish.previously ?? []).map((former) => located(former, line)),
    open: wish.open ?? false,
    onRemoval: wish.onRemoval ?? "report",
    members: (wish.members ?? []).map((member) => aMember(member, wish.roles, line)),
    place: at(line),
    because: [reasonAt(at(line), "team", { name })],
    ...(wish.identifier === undefined ? {} : { identifier: located(wish.identifier, line) }),
    ...(wish.admin === undefined ? {} : { admin: located(addressOf(wish.admin), line) }),
    ...(wish.firstMember === undefined ? {} : { firstMember: located(addressOf(wish.firstMember), line) }),
    ...ownedBy(wish),
  };
}

function aMember(wish: string | MemberWish, teamRoles: readonly string[] | undefined, line: number): DesiredMember {
  const { user, roles = teamRoles, key, ownership }: MemberWish = typeof wish === "string" ? { user: wish } : wish;
  return {
    address: addressOf(user),
    because: [reasonAt(at(line), "member", { person: addressOf(user) })],
    ...(roles === undefined ? {} : { roles: roleSet(roles) }),
    ...(key === undefined ? {} : { key: located(key, line) }),
    ...ownedBy({ ownership }),
  };
}

function ownedBy({ ownership }: { readonly ownership?: Ownership | undefined }): { readonly ownership?: Ownership } {
  return ownership === undefined ? {} : { ownership };
}

interface KeyWish {
  readonly owner?: string | undefined;
  readonly roles: readonly string[];
  readonly ownership?: Ownership | undefined;
  readonly line?: number | undefined;
}

export function aKey(prefix: string, wish: KeyWish): DesiredKey {
  const line = wish.line ?? 1;
  return {
    prefix,
    roles: roleSet(wish.roles),
    place: at(line),
    because: [reasonAt(at(line), "key")],
    ...(wish.owner === undefined ? {} : { owner: located(addressOf(wish.owner), line) }),
    ...ownedBy(wish),
  };
}

/** Accounts are those of the users and teams, in the order of their first mention. */
export function aRoster(parts: {
  users?: readonly DesiredUser[];
  leavers?: readonly Leaver[];
  teams?: readonly DesiredTeam[];
  keys?: readonly DesiredKey[];
}): Roster {
  const users = parts.users ?? [];
  const teams = parts.teams ?? [];
  const accounts = new Map([...users, ...teams].map(({ account, place }) => [account, { value: account, place }]));
  return {
    accounts: [...accounts.values()],
    users: new Map(users.map((user) => [user.address, user])),
    leavers: new Map((parts.leavers ?? []).map((leaver) => [leaver.address, leaver])),
    teams,
    keys: parts.keys ?? [],
    roleSets: new Map(),
    accept: [],
  };
}

export function emailOf(name: string): string {
  return name.includes("@") ? name : `${name}@acme.example`;
}

export function addressOf(name: string): EmailKey {
  return foldAddress(emailOf(name));
}
