import { foldAddress } from "../../model/address.ts";
import {
  type AbsentFounding,
  type AbsentMember,
  type Allowance,
  formatAllowance,
  type GuardName,
  type GuardSettings,
  holdNames,
  type Policy,
  type Selector,
  stopNames,
} from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { defaultPrivilegedRoles, roleSet } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import { closestMatch } from "../../model/similarity.ts";
import { foldName } from "../../model/team.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";

/** The flags with which a person says something for one run alone. */
export interface PolicyFlags {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly assumeAbsent?: readonly string[] | undefined;
  readonly recreate?: readonly string[] | undefined;
  readonly release?: readonly string[] | undefined;
  readonly retryRefused?: boolean | undefined;
  readonly allow?: readonly string[] | undefined;
}

/** What else a policy is made of, beside the flags. */
interface PolicyInput {
  readonly reportUnmanaged: boolean;
  readonly guards: GuardSettings;
  readonly invitationDays: number;
  readonly consistency?: number | undefined;
  readonly singleLabelDomains: boolean;
  /** What ROSTER_ALLOW says. */
  readonly allow?: string | undefined;
  readonly today: string;
}

export function readPolicy(flags: PolicyFlags, input: PolicyInput): Result<Policy, CommandError> {
  const include = selectors("--include", flags.include ?? []);
  if (!include.ok) return include;
  const exclude = selectors("--exclude", flags.exclude ?? []);
  if (!exclude.ok) return exclude;
  const assumed = readAssumedAbsences(flags.assumeAbsent ?? []);
  if (!assumed.ok) return assumed;
  const allowed = readAllowances(flags.allow ?? [], input.allow);
  if (!allowed.ok) return allowed;
  const { guards, today, reportUnmanaged, invitationDays, consistency, singleLabelDomains } = input;
  const guarded = guards.privilegedRoles === "off" ? [] : guards.privilegedRoles.roles;
  return success({
    include: include.value,
    exclude: exclude.value,
    ...assumed.value,
    recreate: (flags.recreate ?? []).map(foldAddress),
    retryRefused: flags.retryRefused === true,
    reportUnmanaged,
    privilegedRoles: roleSet([...defaultPrivilegedRoles, ...guarded]),
    guards,
    allowed: allowed.value,
    released: (flags.release ?? []).map(foldAddress),
    today,
    invitationDays,
    ...(consistency === undefined ? {} : { consistency }),
    singleLabelDomains,
  });
}

function selectors(flag: string, written: readonly string[]): Result<readonly Selector[], CommandError> {
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

type AssumedAbsences = Pick<Policy, "assumeAbsentTeams" | "absentFoundings" | "assumeAbsentMembers">;

function readAssumedAbsences(written: readonly string[]): Result<AssumedAbsences, CommandError> {
  const teams: string[] = [];
  const foundings: AbsentFounding[] = [];
  const members: AbsentMember[] = [];
  for (const text of written.filter((word) => word !== "teams" && word !== "members")) {
    const member = readAbsentMember(text);
    const founding = absentFoundingIn(text);
    if (founding !== undefined) {
      foundings.push(founding);
      teams.push(founding.team);
    } else if (/^team:./u.test(text)) teams.push(foldName(text.slice("team:".length)));
    else if (member !== undefined) members.push(member);
    else {
      const wanted = "team:NAME, team:NAME@CALL, teams, member:TEAM/EMAIL or members";
      return problem(badValue("--assume-absent", text, { wanted, meant: absenceSuggestion(text) }));
    }
  }
  return success({
    assumeAbsentTeams: written.includes("teams") ? "all" : teams,
    ...(foundings.length === 0 ? {} : { absentFoundings: foundings }),
    assumeAbsentMembers: written.includes("members") ? "all" : members,
  });
}

/** What `team:NAME@CALL` says, where a text is that. */
export function absentFoundingIn(written: string): AbsentFounding | undefined {
  const [, name, call] = /^team:(.+)@([0-9a-f]{8})$/u.exec(written) ?? [];
  return name === undefined || call === undefined ? undefined : { team: foldName(name), call };
}

function readAbsentMember(written: string): AbsentMember | undefined {
  const [, team, email] = /^member:(.+)\/([^/]+)$/u.exec(written) ?? [];
  return team === undefined || email === undefined ? undefined : { team: foldName(team), address: foldAddress(email) };
}

function badValue(
  flag: string,
  value: string,
  { wanted, meant }: { wanted: string; meant: string | undefined },
): CommandError {
  const perhaps = meant === undefined ? "" : `Did you mean ${meant}? `;
  return invalidSetting("bad-flag-value", `${flag} ${value} is not understood.`, `${perhaps}Write ${flag} ${wanted}.`);
}

/** The selector that somebody may have meant: of an address a user, of another name a team, of a misspelt kind the right one. */
function selectorSuggestion(written: string): string | undefined {
  const [, kind, rest] = /^([^:@]*):(.+)$/su.exec(written) ?? [];
  if (kind === undefined && written.endsWith(":")) return undefined;
  if (kind === undefined) return written.includes("@") ? `user:${written}` : `team:${written}`;
  const close = closestMatch(kind, ["user", "team"]);
  return close === undefined ? undefined : `${close}:${rest}`;
}

function absenceSuggestion(written: string): string | undefined {
  const [, kind, rest] = /^([^:]*):(.+)$/su.exec(written) ?? [];
  if (kind === undefined) return closestMatch(written, ["teams", "members"]);
  const close = closestMatch(kind, ["team", "member"]);
  return close === undefined || close === kind ? undefined : `${close}:${rest}`;
}

/** What a report is told where the run is about a part of the roster. */
export function selectedPart({ include, exclude }: Pick<Policy, "include" | "exclude">): { readonly selected?: true } {
  return include.length + exclude.length === 0 ? {} : { selected: true };
}

const guardNames: readonly GuardName[] = [...holdNames, ...stopNames];

/** What `--allow` and ROSTER_ALLOW let pass, each once; the variable holds several, separated by commas or spaces. */
export function readAllowances(
  flags: readonly string[],
  said: string | undefined,
): Result<readonly Allowance[], CommandError> {
  const written = [
    ...flags.map((text) => ({ from: "--allow", text })),
    ...(said ?? "").split(/[\s,]+/u).map((text) => ({ from: "ROSTER_ALLOW", text })),
  ].filter(({ text }) => text !== "");
  const allowances = new Map<string, Allowance>();
  for (const { from, text } of written) {
    const read = readAllowance(text);
    if (read === undefined) return problem(notUnderstood(from, text));
    allowances.set(formatAllowance(read), read);
  }
  return success([...allowances.values()]);
}

function readAllowance(text: string): Allowance | undefined {
  const [, name, plan] = /^([a-z-]+)@([0-9a-f]{16})$/u.exec(text) ?? [];
  const guard = guardNames.find((one) => one === name);
  return guard === undefined || plan === undefined ? undefined : { guard, plan };
}

function notUnderstood(from: string, text: string): CommandError {
  const name = text.replace(/@.*$/su, "");
  const close = guardNames.some((one) => one === name) ? undefined : closestMatch(name, guardNames);
  return invalidSetting(
    "bad-allowance",
    `${from} ${text} is not understood.`,
    close === undefined
      ? "Write GUARD@PLANID, just as the finding or the refusal of the plan in question names it."
      : `Did you mean ${close}? Write GUARD@PLANID, just as the finding or the refusal of the plan in question names it.`,
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

/** The same, with the user or the team that was most likely meant, where the roster has none of that name. */
export function suggestMember<T extends RefusedInput>(
  refused: T,
  { email, team }: { readonly email: string; readonly team: string },
  roster: Roster,
): T {
  const emails = [...emailsIn(roster)];
  const names = roster.teams.flatMap(({ name, identifier }) => [
    name,
    ...(identifier === undefined ? [] : [identifier.value]),
  ]);
  const isThere = (said: string, known: readonly string[]) => known.some((one) => foldName(one) === foldName(said));
  if (!isThere(email, emails)) return withSuggestion(refused, closestMatch(email, emails));
  return isThere(team, names) ? refused : withSuggestion(refused, closestMatch(team, names));
}

function emailsIn({ users, leavers }: Roster): Iterable<string> {
  return [...users.values(), ...leavers.values()].map(({ email }) => email);
}

function withSuggestion<T extends RefusedInput>(refused: T, meant: string | undefined): T {
  return meant === undefined ? refused : { ...refused, hint: `Did you mean ${meant}? ${refused.hint}` };
}
