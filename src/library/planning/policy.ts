import { closestMatch, foldAddress } from "../../model/address.ts";
import {
  type AllowanceCode,
  type AllowanceReason,
  allowableCodes,
  formatAllowanceCode,
  needsReason,
  readAllowanceCode,
} from "../../model/allowance.ts";
import { guardNames } from "../../model/guard-names.ts";
import type { GuardSettings, Policy, Selector } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { defaultPrivilegedRoles, definedFields, type RoleSet, roleSet } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import { foldName } from "../../model/team.ts";
import { saysSomething, textProblem } from "../../roster/decode-text.ts";
import { invalidSetting, type RosterError } from "../error.ts";

/** What a person says for one run alone. */
export interface RunWords {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
  /** Why `allow` is allowed. */
  readonly reason?: string | undefined;
}

/** What stands before a name where an error speaks of it: `--` of a flag. */
type NamePrefix = "" | "--";

/** What else a policy is made of. */
interface PolicyInput extends Omit<Policy, "include" | "exclude" | "allowed" | "reason" | "privilegedRoles"> {
  readonly prefix: NamePrefix;
  /** What ROSTER_ALLOW says. */
  readonly allowVariable?: string | undefined;
  /** What ROSTER_REASON says. */
  readonly reasonVariable?: string | undefined;
}

/** @internal */
export function readPolicy(words: RunWords, input: PolicyInput): Result<Policy, RosterError> {
  const { prefix, allowVariable } = input;
  const include = selectors(`${prefix}include`, words.include ?? []);
  if (!include.ok) return include;
  const exclude = selectors(`${prefix}exclude`, words.exclude ?? []);
  if (!exclude.ok) return exclude;
  const allowed = readAllowances(words.allow ?? [], allowVariable, prefix);
  if (!allowed.ok) return allowed;
  const reason = readReason(words.reason, allowed.value, input);
  if (!reason.ok) return reason;
  const { guards, today, reportUnmanaged, consistency, throttling } = input;
  return success({
    include: include.value,
    exclude: exclude.value,
    reportUnmanaged,
    privilegedRoles: privilegedRolesOf(guards),
    guards,
    allowed: allowed.value,
    ...(reason.value === undefined ? {} : { reason: reason.value }),
    today,
    ...definedFields({ consistency, throttling }),
  });
}

/** Roles that are never taken for harmless, whatever the guard is set to. */
export function privilegedRolesOf({ privilegedRoles }: GuardSettings): RoleSet {
  return roleSet([...defaultPrivilegedRoles, ...(privilegedRoles === "off" ? [] : privilegedRoles.roles)]);
}

function selectors(flag: string, written: readonly string[]): Result<readonly Selector[], RosterError> {
  const read: Selector[] = [];
  for (const text of written) {
    const selector = readSelector(text);
    if (selector === undefined)
      return problem(badValue(flag, text, { wanted: "user:EMAIL or team:NAME", meant: selectorSuggestion(text) }));
    read.push(selector);
  }
  return success(read);
}

function readSelector(written: string): Selector | undefined {
  if (written.startsWith("user:") && written.length > 5) {
    return { kind: "user", address: foldAddress(written.slice(5)), written };
  }
  if (written.startsWith("team:") && written.length > 5)
    return { kind: "team", name: foldName(written.slice(5)), written };
  return undefined;
}

function badValue(
  flag: string,
  value: string,
  { wanted, meant }: { wanted: string; meant: string | undefined },
): RosterError {
  const perhaps = meant === undefined ? "" : `Did you mean ${meant}? `;
  const written = flag.startsWith("--") ? `${flag} ${wanted}` : wanted;
  return invalidSetting("bad-flag-value", `${flag} ${value} is not understood.`, `${perhaps}Write ${written}.`);
}

/** The selector that somebody may have meant: of an address a user, of another name a team, of a misspelt kind the right one. */
function selectorSuggestion(written: string): string | undefined {
  const [, kind, rest] = /^([^:@]*):(.+)$/su.exec(written) ?? [];
  if (kind === undefined && written.endsWith(":")) return undefined;
  if (kind === undefined) return written.includes("@") ? `user:${written}` : `team:${written}`;
  const close = closestMatch(kind, ["user", "team"]);
  return close === undefined ? undefined : `${close}:${rest}`;
}

/** The codes that `--allow` and ROSTER_ALLOW pass, each once; the variable holds several, separated by commas or spaces. @internal */
export function readAllowances(
  flags: readonly string[],
  said: string | undefined,
  prefix: NamePrefix = "--",
): Result<readonly AllowanceCode[], RosterError> {
  const written = [
    ...flags.map((text) => ({ from: `${prefix}allow`, text })),
    ...(said ?? "").split(/[\s,]+/u).map((text) => ({ from: "ROSTER_ALLOW", text })),
  ].filter(({ text }) => text !== "");
  const codes = new Map<string, AllowanceCode>();
  for (const { from, text } of written) {
    const read = readAllowanceCode(text);
    if (read === undefined) return problem(badAllowance(from, text));
    codes.set(formatAllowanceCode(read), read);
  }
  return success([...codes.values()]);
}

const maxReasonLength = 200;

/** Why the exceptions are allowed. Privileged roles and guards that refuse a plan are not allowed without it. */
function readReason(
  said: string | undefined,
  allowed: readonly AllowanceCode[],
  { prefix, reasonVariable }: Pick<PolicyInput, "prefix" | "reasonVariable">,
): Result<AllowanceReason | undefined, RosterError> {
  const flag = `${prefix}reason`;
  const text = (said ?? reasonVariable)?.trim();
  const hint = `Write one line, such as ${prefix === "" ? "" : `${flag} `}"INC-42: payments are down".`;
  const bad = (message: string) => problem(invalidSetting("missing-reason", message, hint));
  if (text === undefined) {
    const open = allowed.map(formatAllowanceCode).find(needsReason);
    if (open === undefined) return success(undefined);
    return bad(`${open} is allowed without a reason. It needs ${flag}.`);
  }
  const [name, source] =
    said === undefined
      ? (["ROSTER_REASON", "variable"] as const)
      : ([flag, prefix === "" ? "library" : "flag"] as const);
  if (allowed.length === 0) return bad(`${name} has no effect without ${prefix}allow.`);
  const wrong = textProblem(text, maxReasonLength) ?? (saysSomething(text) ? undefined : "has no letter or digit");
  return wrong === undefined ? success({ text, source }) : bad(`${name} ${wrong}.`);
}

function badAllowance(from: string, text: string): RosterError {
  const [, kind = text] = /^([^:#@]*)/su.exec(text) ?? [];
  const isKnown = allowableCodes.some((code) => code === kind);
  const isGuard = guardNames.some((name) => name === kind);
  const near = isKnown || isGuard ? undefined : closestMatch(kind, allowableCodes);
  const why = isKnown
    ? "it must end with `#` and 12 hexadecimal digits"
    : isGuard
      ? `nobody can allow what the guard ${kind} holds`
      : "it names nothing that can be allowed";
  return invalidSetting(
    "bad-flag-value",
    `${from} ${text} is not understood: ${why}.`,
    isGuard && !isKnown
      ? "Correct the roster, or the settings of the guard (in CI: outside the checkout)."
      : `${near === undefined ? "" : `Did you mean ${near}? `}Write ${from === "--allow" ? "--allow " : ""}CODE as \`roster plan\` prints it.`,
  );
}

/** What is refused about names, with its advice. */
interface RefusedInput {
  readonly hint: string;
}

/** The same, with what the first selector that means nothing in the roster was most likely meant to be. */
export function suggestSelector<T extends RefusedInput>(refused: T, selectors: readonly Selector[], roster: Roster): T {
  const meant = selectors.map((selector) => closestSelector(selector, roster)).find((one) => one !== undefined);
  return withSuggestion(refused, meant);
}

function closestSelector(selector: Selector, roster: Roster): string | undefined {
  if (selector.kind === "user") {
    if (roster.users.has(selector.address) || roster.leavers.has(selector.address)) return undefined;
    const close = closestMatch(selector.address, emailsIn(roster));
    return close === undefined ? undefined : `user:${close}`;
  }
  const names = roster.teams.map(({ name }) => name);
  if (names.some((name) => foldName(name) === selector.name)) return undefined;
  const close = closestMatch(selector.name, names);
  return close === undefined ? undefined : `team:${close}`;
}

function emailsIn({ users, leavers }: Roster): Iterable<string> {
  return [...users.values(), ...leavers.values()].map(({ email }) => email);
}

function withSuggestion<T extends RefusedInput>(refused: T, meant: string | undefined): T {
  return meant === undefined ? refused : { ...refused, hint: `Did you mean ${meant}? ${refused.hint}` };
}
