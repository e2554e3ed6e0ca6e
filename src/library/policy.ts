import type { PlanFile } from "../codec/plan-file-format.ts";
import { isHold } from "../codes/guards.ts";
import { closestMatch, type EmailKey, foldAddress, foldDomain } from "../model/address.ts";
import { definedFields } from "../model/collections.ts";
import { canonicalJson, isObject, sha256 } from "../model/json.ts";
import {
  type AllowanceCode,
  allowableCodes,
  formatAllowanceCode,
  type GuardSettings,
  type Guards,
  needsReason,
  type Policy,
  readAllowanceCode,
  type Selector,
} from "../model/policy.ts";
import type { Roster } from "../model/roster.ts";
import type { AllowanceReason } from "../model/state.ts";
import { foldName } from "../model/team.ts";
import { defaultPrivilegedRoles, type RoleSet, roleSet } from "../model/values.ts";
import { isoDate } from "../ports/clock.ts";
import { saysSomething, textProblem } from "../roster/decode.ts";
import { systemClock } from "./environment.ts";
import { invalidSetting, type RosterError, suggest } from "./error.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";

/** What a person says for one run alone. */
export interface RunFlags {
  /** Plan only these, such as `user:ada@acme.example` or `team:Data Science`. Absent: everything. */
  readonly include?: readonly string[] | undefined;
  /** Leave these out. */
  readonly exclude?: readonly string[] | undefined;
  /** What is allowed: codes that a plan and its findings print, such as `max-new-users#7f3a90c1d4e5`. */
  readonly allow?: readonly string[] | undefined;
  /** Why `allow` is allowed. Needed for privileged roles and for guards that refuse a plan; recorded in the log. */
  readonly reason?: string | undefined;
}

export interface PolicyOptions extends RunFlags {
  /** Guards that are not to have their defaults. */
  readonly guards?: GuardOptions | undefined;
  /** Also read and report the users who are not in the roster. `drift` always does. */
  readonly reportUnmanaged?: boolean | undefined;
  /** How long reads of the service may not show a write, in milliseconds. Learned where it is absent. */
  readonly consistencyMs?: number | undefined;
  /** A throttled write of this service never takes effect. Taken for unknown where it is absent. */
  readonly throttling?: "no-effect" | undefined;
  /** The day in UTC, as in `2026-11-20`. Today where it is absent. */
  readonly today?: string | undefined;
}

/** Guards, as `guards:` and `protect:` of the settings set them. What is absent has its default. */
export type GuardOptions = Partial<Guards<string>>;

const off = is.oneOf("off");

const guardChecks: OptionChecks<GuardOptions> = {
  allowedEmailDomains: is.texts,
  nearDuplicate: is.oneOf("on", "off"),
  privilegedRoles: is.either(is.shape({ roles: is.required(is.texts), people: is.required(is.texts) }), off),
  protect: is.shape({ users: is.required(is.texts), keys: is.required(is.texts) }),
  maxNewUsers: is.either(is.count, off),
  maxInvitations: is.either(is.count, off),
  maxRoleRemovals: is.either(is.shape({ ratio: is.required(is.share), floor: is.required(is.count) }), off),
  minAdmins: is.either(is.shape({ role: is.required(is.text), count: is.required(is.count) }), off),
  requiredAdmins: is.texts,
};

const policyChecks: OptionChecks<PolicyOptions> = {
  include: is.texts,
  exclude: is.texts,
  allow: is.texts,
  reason: is.text,
  guards: { wants: "an object of guards", takes: isObject },
  reportUnmanaged: is.flag,
  consistencyMs: is.count,
  throttling: is.oneOf("no-effect"),
  today: is.day,
};

/** What a plan may do: which part, what is allowed and why, and the guards. Throws where it is not understood. */
export function readPolicy(options: PolicyOptions = {}): Policy {
  checkOptions("readPolicy", policyChecks, options);
  checkOptions("readPolicy.guards", guardChecks, options.guards ?? {});
  const { reportUnmanaged = false, consistencyMs: consistency, throttling, today = isoDate(systemClock) } = options;
  const guards = guardsInForce(options.guards);
  return policyOf(options, { prefix: "", guards, reportUnmanaged, consistency, throttling, today });
}

export const defaultGuards = {
  nearDuplicate: "on",
  privilegedRoles: { roles: defaultPrivilegedRoles, people: [] },
  protect: { users: [], keys: [] },
  maxNewUsers: 100,
  maxInvitations: 100,
  maxRoleRemovals: { ratio: 0.25, floor: 10 },
  minAdmins: "off",
  requiredAdmins: [],
} satisfies GuardSettings;

/** Guards as they are set, and where: what is absent has its default. */
export function guardsInForce(options: GuardOptions & Pick<GuardSettings, "setAt"> = {}): GuardSettings {
  const { protect, privilegedRoles, requiredAdmins, allowedEmailDomains } = options;
  const people = (addresses: readonly string[]) => addresses.map(foldAddress);
  const set = definedFields({
    ...options,
    allowedEmailDomains: allowedEmailDomains?.map((domain) => foldDomain(domain.replace(/^@/u, ""))),
    protect: protect && { ...protect, users: people(protect.users) },
    privilegedRoles:
      typeof privilegedRoles === "object"
        ? { roles: roleSet(privilegedRoles.roles), people: people(privilegedRoles.people) }
        : privilegedRoles,
    requiredAdmins: requiredAdmins && people(requiredAdmins),
  });
  return { ...defaultGuards, ...set };
}

/** How an error speaks of a name: `--allow` of a flag. */
type NamePrefix = "" | "--";

interface PolicyInput extends Omit<Policy, "include" | "exclude" | "allowed" | "reason" | "privilegedRoles"> {
  readonly prefix: NamePrefix;
  readonly allowVariable?: string | undefined;
  readonly reasonVariable?: string | undefined;
}

/** The same of the flags of a command. */
export function policyOf(flags: RunFlags, input: PolicyInput): Policy {
  const { prefix, allowVariable, reasonVariable, ...others } = input;
  const allowed = readAllowances(flags.allow ?? [], allowVariable, prefix);
  return definedFields({
    ...others,
    include: (flags.include ?? []).map((text) => selectorOf(`${prefix}include`, text)),
    exclude: (flags.exclude ?? []).map((text) => selectorOf(`${prefix}exclude`, text)),
    privilegedRoles: privilegedRolesOf(others.guards),
    allowed,
    reason: readReason(flags.reason, allowed, { prefix, reasonVariable }),
  });
}

/** Roles that are never taken for harmless, whatever the guard is set to. */
export function privilegedRolesOf({ privilegedRoles }: GuardSettings): RoleSet {
  return roleSet([...defaultPrivilegedRoles, ...(privilegedRoles === "off" ? [] : privilegedRoles.roles)]);
}

/** The same for the same guards, wherever their lines are. */
export function guardsDigest({ guards }: Pick<Policy, "guards">): string {
  const { setAt: _, ...others }: GuardSettings = guards;
  return sha256(canonicalJson(others)).slice(0, 16);
}

/** What holds for a saved plan: the guards of the run, and what a person has allowed when the plan was made. */
export function policyForSaved(usual: Policy, { plan, policy }: PlanFile): Policy {
  return {
    ...usual,
    // Roles are privileged if the plan or this run says so.
    privilegedRoles: roleSet([...usual.privilegedRoles, ...policy.privilegedRoles]),
    // The file says what is allowed, not the environment of this run.
    allowed: (plan.allowed ?? []).flatMap(({ code }) => readAllowanceCode(code) ?? []),
    reason: plan.reason,
  };
}

/** The plan is about the whole roster: nothing was included or excluded. */
export function isWhole({ include, exclude }: Pick<Policy, "include" | "exclude">): boolean {
  return include.length + exclude.length === 0;
}

function selectorOf(flag: string, written: string): Selector {
  const [, kind, name = ""] = /^(user|team):(.+)$/su.exec(written) ?? [];
  if (kind === "user") return { kind, address: foldAddress(name), written };
  if (kind === "team") return { kind, name: foldName(name), written };
  // Of an address a user, of another name a team, of a misspelt kind the right one.
  const [, misspelt, rest] = /^([^:@]*):(.+)$/su.exec(written) ?? [];
  const usual = written.includes("@") ? "user" : "team";
  const meant = misspelt === undefined ? usual : closestMatch(misspelt, ["user", "team"]);
  const perhaps = meant === undefined || /(?:^|:)$/u.test(written) ? "" : `Did you mean ${meant}:${rest ?? written}? `;
  const wanted = `${flag.startsWith("--") ? `${flag} ` : ""}user:EMAIL or team:NAME`;
  throw invalidSetting("bad-flag-value", `${flag} ${written} is not understood.`, `${perhaps}Write ${wanted}.`);
}

/** The codes that `--allow` and ROSTER_ALLOW pass, each once; the variable holds several, separated by commas or spaces. */
export function readAllowances(
  flags: readonly string[],
  said: string | undefined,
  prefix: NamePrefix = "--",
): readonly AllowanceCode[] {
  const written = [
    ...flags.map((text) => ({ from: `${prefix}allow`, text })),
    ...(said ?? "").split(/[\s,]+/u).map((text) => ({ from: "ROSTER_ALLOW", text })),
  ].filter(({ text }) => text !== "");
  const codes = new Map<string, AllowanceCode>();
  for (const { from, text } of written) {
    const read = readAllowanceCode(text);
    if (read === undefined) throw badAllowance(from, text);
    codes.set(formatAllowanceCode(read), read);
  }
  return [...codes.values()];
}

const maxReasonLength = 200;

/** Why the exceptions are allowed. Privileged roles and guards that refuse a plan are not allowed without it. */
function readReason(
  said: string | undefined,
  allowed: readonly AllowanceCode[],
  { prefix, reasonVariable }: Pick<PolicyInput, "prefix" | "reasonVariable">,
): AllowanceReason | undefined {
  const flag = `${prefix}reason`;
  const text = (said ?? reasonVariable)?.trim();
  const hint = `Write one line, such as ${prefix === "" ? "" : `${flag} `}"INC-42: payments are down".`;
  if (text === undefined) {
    const open = allowed.map(formatAllowanceCode).find(needsReason);
    if (open === undefined) return undefined;
    throw invalidSetting("missing-reason", `To allow ${open}, give a reason with ${flag}.`, hint);
  }
  const fromFlag = { name: flag, source: prefix === "" ? "library" : "flag" } as const;
  const { name, source } = said === undefined ? ({ name: "ROSTER_REASON", source: "variable" } as const) : fromFlag;
  if (allowed.length === 0) {
    const orElse = `Remove ${name}, or pass with ${prefix}allow the code that needs this reason.`;
    throw invalidSetting("missing-reason", `${name} has no effect without ${prefix}allow.`, orElse);
  }
  const nothing = saysSomething(text) ? undefined : "has no letter or digit";
  // A printed command has it in place of the reason.
  const wrong = text === "TEXT" ? "is not a reason yet" : (textProblem(text, maxReasonLength) ?? nothing);
  if (wrong !== undefined) throw invalidSetting("missing-reason", `${name} ${wrong}.`, hint);
  return { text, source };
}

function badAllowance(from: string, text: string): RosterError {
  const [kind = ""] = /^[^:#@]*/u.exec(text) ?? [];
  const bad = (why: string, hint: string) =>
    invalidSetting("bad-flag-value", `${from} ${text} is not understood: ${why}.`, hint);
  const form = `Write ${from === "--allow" ? "--allow " : ""}CODE as \`roster plan\` prints it.`;
  if (allowableCodes.some((code) => code === kind)) return bad("it must end with `#` and 12 hexadecimal digits", form);
  if (isHold(kind)) {
    const hint = "Correct the roster, or the guard in the settings file.";
    return bad(`nobody can allow what the guard ${kind} holds`, hint);
  }
  return bad("no task or guard has this name", suggest(kind, allowableCodes, form));
}

/** The same refusal, with what the first selector that means nothing in the roster was most likely meant to be. */
export function suggestSelector<T extends { readonly hint: string }>(
  refused: T,
  selectors: readonly Selector[],
  { users, leavers, teams }: Roster,
): T {
  const known = new Map<EmailKey, { readonly email: string }>([...leavers, ...users]);
  for (const selector of selectors) {
    const isUser = selector.kind === "user";
    const names = isUser ? [...known.values()].map(({ email }) => email) : teams.map(({ name }) => name);
    const isKnown = isUser ? known.has(selector.address) : names.some((name) => foldName(name) === selector.name);
    const close = isKnown ? undefined : closestMatch(isUser ? selector.address : selector.name, names);
    if (close !== undefined) return { ...refused, hint: `Did you mean ${selector.kind}:${close}? ${refused.hint}` };
  }
  return refused;
}
