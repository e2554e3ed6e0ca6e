import { type EmailKey, foldAddress } from "./address.ts";
import type { Place } from "./fact.ts";
import type { RecordedRefusal } from "./recorded.ts";
import { defaultPrivilegedRoles, type RoleSet } from "./role-set.ts";
import { decodeSubject, subjectPrefix } from "./subject.ts";
import { foldName } from "./team.ts";

/** What a person says for this run alone: selection, guards, exceptions. */
export interface Policy {
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
  /** Report the users who are not in the roster. */
  readonly reportUnmanaged: boolean;
  /** Roles that let their holder administer others. */
  readonly privilegedRoles: RoleSet;
  readonly guards: GuardSettings;
  /** Exceptions that a person allows, each for one plan. */
  readonly allowed: readonly Allowance[];
  /** Why they are allowed. Never absent where one of them needs it. */
  readonly reason?: AllowanceReason | undefined;
  /** The day in UTC, as in `2026-11-20`. */
  readonly today: string;
  /** Milliseconds within which reads of this service may not show a write, where a person has set it. */
  readonly consistency?: number | undefined;
  /** A person has set that a throttled write of this service never takes effect. */
  readonly throttling?: "no-effect" | undefined;
}

export type Selector =
  | { readonly kind: "user"; readonly address: EmailKey; readonly written: string }
  | { readonly kind: "team"; readonly name: string; readonly written: string };

/** Guards that withhold single actions and what depends on them, each by a finding of its name. */
export const holdNames = [
  "allowed-email-domains",
  "near-duplicate",
  "privileged-roles",
  "own-key",
  "protected",
  "renamed-team",
] as const;

/** Guards that refuse the whole plan. */
export const stopNames = [
  "max-new-users",
  "max-invitations",
  "max-role-removals",
  "min-admins",
  "required-admins",
  "empty-roster",
  "incomplete-snapshot",
] as const;

export type HoldName = (typeof holdNames)[number];
export type StopName = (typeof stopNames)[number];
export type GuardName = HoldName | StopName;

export const guardNames: readonly GuardName[] = [...holdNames, ...stopNames];

/** Something that a plan does only where a person allows it. Names of teams are folded. */
export type Exception =
  /** One guard lets the plan pass. */
  | { readonly is: "guard"; readonly guard: GuardName }
  /** The service starts anew: what was recorded of it before counts no more. */
  | { readonly is: "service-reset" }
  /** A user who is gone is created again, or another user who has the address now is taken for this one. */
  | { readonly is: "recreate"; readonly address: EmailKey }
  /** A user who left the roster is not managed any more. */
  | { readonly is: "release"; readonly address: EmailKey }
  /** Calls that the service refused are sent once more. */
  | { readonly is: "retry-user"; readonly address: EmailKey }
  | { readonly is: "retry-key"; readonly prefix: string }
  /** A team of which nothing is known is absent. */
  | { readonly is: "absent-team"; readonly team: string }
  | { readonly is: "absent-teams" }
  /** The creation of a team by this call, named by its short id, was not done. */
  | { readonly is: "absent-creation"; readonly team: string; readonly call: string }
  /** A membership that the service does not show is absent. */
  | { readonly is: "absent-member"; readonly team: string; readonly address: EmailKey }
  | { readonly is: "absent-members" };

/** A person allows an exception for one plan. `plan`: its id as it is before anything is allowed. */
export interface Allowance {
  readonly exception: Exception;
  readonly plan: string;
}

/** What a person allows so that a refused call is sent again. */
export function retryOf({ subject, address }: RecordedRefusal): Exception {
  if (address !== undefined) return { is: "retry-user", address };
  return { is: "retry-key", prefix: subjectPrefix(decodeSubject(subject)) ?? subject };
}

/** Why a person allows what is allowed, and where that was said. */
export interface AllowanceReason {
  readonly text: string;
  readonly source: "flag" | "variable" | "library";
}

/** Whether nobody allows it without a reason: a privileged role is given, or a guard that refuses the whole plan is passed. */
export function needsReason({ exception }: Allowance): boolean {
  if (exception.is !== "guard") return false;
  return exception.guard === "privileged-roles" || stopNames.some((name) => name === exception.guard);
}

/** How an allowance is written: `max-new-users@3f2a90c1d4e5b678`, `recreate:ada@acme.example@3f2a90c1d4e5b678`. One word of any shell. */
export function formatAllowance({ exception, plan }: Allowance): string {
  return `${formatException(exception)}@${plan}`;
}

/** The same without the plan. Two exceptions are the same if they are written alike. */
export function formatException(exception: Exception): string {
  switch (exception.is) {
    case "guard":
      return exception.guard;
    case "service-reset":
      return "service-reset";
    case "recreate":
      return `recreate:${escapeAddress(exception.address)}`;
    case "release":
      return `release:${escapeAddress(exception.address)}`;
    case "retry-user":
      return `retry:user:${escapeAddress(exception.address)}`;
    case "retry-key":
      return `retry:key:${escapeName(exception.prefix)}`;
    case "absent-team":
      return `absent:team:${escapeName(exception.team)}`;
    case "absent-teams":
      return "absent:teams";
    case "absent-creation":
      return `absent:team:${escapeName(exception.team)}@${exception.call}`;
    case "absent-member":
      return `absent:member:${escapeName(exception.team)}/${escapeAddress(exception.address)}`;
    case "absent-members":
      return "absent:members";
  }
}

/** What a shell, a list of words, Markdown or a terminal could take for something else is written as in a URL: a space is `%20`. */
function escapeName(name: string): string {
  return name.replace(/[^\p{L}\p{N}\p{M}._+=-]|\p{DI}/gu, (character) =>
    /^[!'()*~]$/u.test(character)
      ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(/\p{Cs}/u.test(character) ? "\u{FFFD}" : character),
  );
}

function escapeAddress(address: EmailKey): string {
  return address.split("@").map(escapeName).join("@");
}

/** Reads what `formatAllowance` writes, and the same without escapes. Undefined for anything else. */
export function readAllowance(text: string): Allowance | undefined {
  const [, word = "", plan] = /^(.+)@([0-9a-f]{16})$/su.exec(text) ?? [];
  const exception = readException(word);
  return exception === undefined || plan === undefined ? undefined : { exception, plan };
}

function readException(word: string): Exception | undefined {
  const guard = guardNames.find((name) => name === word);
  if (guard !== undefined) return { is: "guard", guard };
  if (word === "service-reset") return { is: "service-reset" };
  if (word === "absent:teams") return { is: "absent-teams" };
  if (word === "absent:members") return { is: "absent-members" };
  const [, kind, rest = ""] = /^(recreate|release|retry:\w+|absent:\w+):(.+)$/su.exec(word) ?? [];
  switch (kind) {
    case "recreate":
    case "release":
      return about(readAddress(rest), (address) => ({ is: kind, address }));
    case "retry:user":
      return about(readAddress(rest), (address) => ({ is: "retry-user", address }));
    case "retry:key":
      return { is: "retry-key", prefix: decodeEscapes(rest) };
    case "absent:team":
      return readAbsentTeam(rest);
    case "absent:member":
      return readAbsentMember(rest);
    default:
      return undefined;
  }
}

function about<T>(read: T | undefined, exception: (read: T) => Exception): Exception | undefined {
  return read === undefined ? undefined : exception(read);
}

function readAbsentMember(written: string): Exception | undefined {
  const [, name = "", email = ""] = /^(.+)\/([^/]+)$/su.exec(written) ?? [];
  const team = readTeam(name);
  if (team === undefined) return undefined;
  return about(readAddress(email), (address) => ({ is: "absent-member", team, address }));
}

function readAbsentTeam(written: string): Exception | undefined {
  const [, name = written, call] = /^(.+)@([0-9a-f]{8})$/su.exec(written) ?? [];
  const team = readTeam(name);
  if (team === undefined) return undefined;
  return call === undefined ? { is: "absent-team", team } : { is: "absent-creation", team, call };
}

/** A name with a bare `@` could be meant as a name and a call. */
function readTeam(written: string): string | undefined {
  const team = foldName(decodeEscapes(written));
  return team === "" || written.includes("@") ? undefined : team;
}

function readAddress(written: string): EmailKey | undefined {
  const address = foldAddress(decodeEscapes(written));
  return address.includes("@") ? address : undefined;
}

function decodeEscapes(written: string): string {
  return written.replace(/(?:%[0-9a-f]{2})+/giu, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}

/** What the guards are set to. Those that are not named here can be allowed, but not set. */
export interface GuardSettings {
  /** Domains in their ASCII form and in lower case; absent where every domain is allowed. */
  readonly allowedEmailDomains?: readonly string[];
  readonly nearDuplicate: "on" | "off";
  readonly privilegedRoles: PrivilegedRoles | "off";
  /** Whom and what no action touches. */
  readonly protected: ProtectedResources;
  /** The most that one plan may create. */
  readonly maxNewUsers: number | "off";
  /** The most people-in-team additions of one plan. */
  readonly maxInvitations: number | "off";
  readonly maxRoleRemovals: RoleRemovals | "off";
  readonly minAdmins: MinAdmins | "off";
  /** People who must keep a privileged role that they have. */
  readonly requiredAdmins: readonly EmailKey[];
  /** Where settings stand by which single actions are held; those that are missing have their defaults. */
  readonly setAt?: SettingPlaces;
}

/** Settings whose findings name their line. */
export const locatedSettings = ["guards.allowed-email-domains", "guards.privileged-roles", "protect"] as const;

export type LocatedSetting = (typeof locatedSettings)[number];

export type SettingPlaces = Readonly<Partial<Record<LocatedSetting, Place>>>;

export interface PrivilegedRoles {
  readonly roles: RoleSet;
  /** Who may be given them. */
  readonly people: readonly EmailKey[];
}

export interface ProtectedResources {
  readonly users: readonly EmailKey[];
  /** Prefixes. */
  readonly keys: readonly string[];
}

/** A plan may take roles from so large a share of the keys whose roles are known, and from `floor` keys in any case. */
export interface RoleRemovals {
  readonly ratio: number;
  readonly floor: number;
}

/** So many people must hold the role after a plan that takes it from somebody. */
export interface MinAdmins {
  readonly role: string;
  readonly count: number;
}

export const defaultGuards: GuardSettings = {
  nearDuplicate: "on",
  privilegedRoles: { roles: defaultPrivilegedRoles, people: [] },
  protected: { users: [], keys: [] },
  maxNewUsers: 100,
  maxInvitations: 100,
  maxRoleRemovals: { ratio: 0.25, floor: 10 },
  minAdmins: "off",
  requiredAdmins: [],
};
