import { type FindingTexts, joinList, say, sentence, truncateList } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import type { OpenIntent } from "../model/call.ts";
import { consistencyWindow } from "../model/capabilities.ts";
import { byCodeUnit, groupBy, latest, multimap, sortedMap } from "../model/collections.ts";
import { type Basis, declared, distinctReasons, type Located, observedBasis, type Subject } from "../model/fact.ts";
import {
  type Acceptable,
  type AcceptEntry,
  type AcceptStatus,
  acceptStatuses,
  type FindingInput,
  maxAcceptDays,
} from "../model/finding.ts";
import { accountStatus, type DesiredKey } from "../model/key.ts";
import type { GuardViolation } from "../model/plan.ts";
import {
  type Allowance,
  type AllowanceCode,
  absentTeamCreationOf,
  allowanceCodeOf,
  allowanceScope,
  coversOf,
  formatAllowanceCode,
  type Objection,
  type ObjectionCode,
  type Policy,
  readObjectionCode,
  thingOf,
} from "../model/policy.ts";
import { daysAfter, indexRoster, type OwnedThing, type Roster } from "../model/roster.ts";
import {
  decidedFrom,
  findServiceReset,
  isDecided,
  resetObjection,
  type ServiceReset,
  type Snapshot,
} from "../model/snapshot.ts";
import { callIdOf, type State, withoutRecords } from "../model/state.ts";
import { type MembershipKey, membershipKeyOf } from "../model/team.ts";
import type { TeamKey } from "../model/values.ts";
import { findOutsideChanges, type OutsideChanges } from "./drift/outside-changes.ts";
import { type Comparison, indexSnapshot, lazy, type PlanFacts } from "./snapshot-index.ts";

export interface PlanContext extends Comparison {
  readonly outside: OutsideChanges;
  /** When a run last set roles on a key of a member, also on one that is gone. */
  readonly rolesSetAt: ReadonlyMap<MembershipKey, string>;
  /** Accounts in which nothing can be done, one finding each. */
  readonly closedAccounts: ReadonlyMap<string, FindingDraft>;
  /** What guards hold, once they have seen what is asked for. */
  readonly held: HeldResources;
  /** Asked where a person may overrule what the plan would object to. */
  readonly allowances: ReturnType<typeof weighAllowances>;
  /** Teams of which a person says that an open call did not create them, as the call names them. */
  readonly uncreated: ReadonlySet<TeamKey>;
  /** The service itself is in doubt: nothing is planned. */
  readonly reset: ServiceReset | undefined;
}

/** What guards keep from being planned, so that others take their places where they can. */
export interface HeldResources {
  /** New people who are not created. */
  readonly people: ReadonlySet<EmailKey>;
  /** New teams that are not created; a first member is kept for each. */
  readonly teams: ReadonlySet<TeamKey>;
  /** Places in new teams whose privileged roles a first member's key is not created with. */
  readonly privileges: ReadonlySet<MembershipKey>;
}

/** A finding before it is known whether the selection keeps it. */
export interface FindingDraft
  extends Omit<FindingInput, "restsOn" | "allow" | "ownership">,
    Pick<FindingTexts, "allowAt"> {
  readonly restsOn?: FindingInput["restsOn"];
  /** What a person can overrule, so that the plan does it all the same. */
  readonly allow?: readonly Objection[];
  /** The people and teams that it concerns; empty where it concerns an account or the whole run. */
  readonly concerns: readonly OwnedThing[];
}

export function keyConcern({ prefix, owner }: DesiredKey): OwnedThing {
  return { prefix, address: owner?.value };
}

/** What of the roster this run is about. Excluding wins over including. */
export interface Selection {
  /** True where nothing was selected, so that everything is. */
  readonly everything: boolean;
  /** A place in a team is kept if the person or the team is included, and neither is excluded. */
  keeps(concern: OwnedThing): boolean;
  /** Whether the person was named to be excluded, or the team. */
  excludes(concern: OwnedThing): boolean;
}

export const wholeRoster: Selection = { everything: true, keeps: () => true, excludes: () => false };

/**
 * What the steps of a plan look at, before any guard has seen what is asked for. A service that starts anew has nothing of what was
 * recorded, and a creation of a team that a person says was not done is not open any more.
 */
export function buildPlanContext(known: PlanFacts): PlanContext {
  const { snapshot, policy } = known;
  const roster = sortRoster(known.roster);
  const allowances = weighAllowances(policy, roster.accept, snapshot.service, known.state);
  const closedAccounts = findClosedAccounts(roster, snapshot);
  const found = findServiceReset(roster, snapshot, known.state, policy.consistency);
  const startsAnew = found !== undefined && allowances.ask(resetObjection(found)).isAllowed;
  const recorded = startsAnew ? withoutRecords(known.state) : known.state;
  const reset = startsAnew ? undefined : found;
  const undone = recorded.open.filter((open) => {
    const objection = absentTeamCreationOf(open);
    return objection !== undefined && allowances.ask(objection).isAllowed;
  });
  const state =
    undone.length === 0 ? recorded : { ...recorded, open: recorded.open.filter((open) => !undone.includes(open)) };
  const uncreated = new Set(
    undone.flatMap(({ intent }) => (intent.kind === "create-user" ? (intent.createsTeam?.team ?? []) : [])),
  );
  const names = lazy(() => indexRoster(roster, state));
  const compared = { ...known, roster, state, facts: indexSnapshot(snapshot, state), names };
  const outside = findOutsideChanges(compared);
  const rolesSetAt = indexRolesSet(state);
  const held = { people: new Set<EmailKey>(), teams: new Set<TeamKey>(), privileges: new Set<MembershipKey>() };
  return { ...compared, outside, allowances, uncreated, rolesSetAt, closedAccounts, held, reset };
}

/**
 * The same roster with its people and keys in the order of their addresses and prefixes, so that the order in which they stand in
 * the files changes nothing of a plan. Teams stay in theirs, which says who is created first.
 */
function sortRoster(roster: Roster): Roster {
  return {
    ...roster,
    users: sortedMap(roster.users),
    leavers: sortedMap(roster.leavers),
    teams: roster.teams.map((team) => {
      return { ...team, members: team.members.toSorted((a, b) => byCodeUnit(a.address, b.address)) };
    }),
    keys: roster.keys.toSorted((a, b) => byCodeUnit(a.prefix, b.prefix)),
  };
}

function indexRolesSet({ access, keys }: State): ReadonlyMap<MembershipKey, string> {
  const times = new Map<MembershipKey, string>();
  for (const { prefix, address, team } of access.values()) {
    const at = keys.get(prefix)?.at;
    if (at === undefined || address === undefined || team === undefined) continue;
    const place = membershipKeyOf(team.team, address);
    times.set(place, latest(times.get(place), at) ?? at);
  }
  return times;
}

/** Accounts in which nothing can be done, one finding each. */
function findClosedAccounts(roster: Roster, { accounts }: Snapshot): ReadonlyMap<string, FindingDraft> {
  const entries = groupBy([...roster.users.values(), ...roster.teams], ({ account }) => account);
  return new Map(
    [...entries].flatMap(([account, inIt]) => {
      const shown = accounts.get(account);
      const status = accountStatus(shown?.status);
      if (shown !== undefined && status !== "barred" && status !== "deleted") return [];
      // The entries come after the places that name the account.
      const because = distinctReasons([
        ...inIt.flatMap((entry) => entry.because.slice(1)),
        ...inIt.flatMap((entry) => entry.because.slice(0, 1)),
      ]);
      const subject: Subject = { kind: "other", name: `account ${account}` };
      const texts =
        shown === undefined
          ? say("account-unavailable/hidden", { account })
          : say("account-unavailable/inactive", { account, status: shown.status ?? "" });
      const restsOn = shown === undefined ? [] : [observedBasis(subject, shown.status ?? "", shown.by)];
      return [[account, { ...texts, subject, because, restsOn, concerns: [] }] as const];
    }),
  );
}

/** That these dates of the roster have not come yet. */
export function dateBases(about: Subject, dates: readonly Located<string>[], today: string): readonly Basis[] {
  const clock = observedBasis({ kind: "other", name: "today" }, today, "clock");
  return [...dates.map(({ value, place }) => ({ about, fact: declared(value, place) })), clock];
}

/** Whether a write of ours is so recent that the reads of this plan need not show it. `done`: ISO 8601. */
export function isWithinConsistencyWindow(done: string, context: PlanContext): boolean {
  return Date.parse(context.snapshot.readAt) < visibleBy(done, context);
}

/** Milliseconds since the epoch. */
function visibleBy(done: string, { policy }: PlanContext): number {
  return Date.parse(done) + consistencyWindow(policy.consistency);
}

/** From when on reads show it. ISO 8601. */
export function shownFrom(done: string, context: PlanContext): string {
  return new Date(visibleBy(done, context)).toISOString();
}

/** What a person types who has looked in the service and knows if these calls took effect. */
export function formatResolveCommands(opens: readonly OpenIntent[]): string {
  const ids = [...new Set(opens.map(callIdOf))];
  return sentence("resolve", {
    commands: ids.map((id) => `\`roster state resolve ${id} done\` or \`roster state resolve ${id} not-done\``),
  });
}

/** From when on a plan knows by reading that these calls were not done, in sentences. */
export function formatDecisionTime(opens: readonly OpenIntent[], context: PlanContext): string {
  const times = opens.map((open) => decidedFrom(open, context.snapshot, context.state, context.policy.consistency));
  const known = times.filter((time) => time !== undefined);
  if (known.length < times.length) return sentence("undecided", {});
  return sentence("decided", { time: new Date(Math.max(...known)).toISOString() });
}

/** Whether reads would show by now what these calls did. What is open then, reads cannot tell. */
export function isWindowOver(opens: readonly OpenIntent[], context: PlanContext): boolean {
  const { snapshot, state, policy } = context;
  return opens.every((open) => isDecided(open, snapshot, state, policy.consistency));
}

interface Asked {
  readonly code: AllowanceCode;
  readonly covers: readonly string[];
}

/** What can be accepted for so long can always be: a person who wants more writes more. */
const offeredDays = 30;

/** Asked wherever the planner or a guard would object; remembers what it was asked. */
export function weighAllowances(
  { allowed: given, today }: Pick<Policy, "allowed" | "today">,
  accepts: readonly AcceptEntry[],
  service: string,
  state: State,
) {
  let scope = allowanceScope(service, state);
  let recorded = state.allowances ?? new Map<string, never>();
  const asked = new Map<string, Asked>();
  const used = new Map<string, Allowance>();
  const fitting = new Set<AllowanceCode>();

  /** A plan without a log has no lineage; its codes hold in the log that begins. */
  function hasDigits({ digits }: ObjectionCode, objection: Objection<string>): boolean {
    return [scope, { ...scope, lineage: "" }].some((each) => allowanceCodeOf(objection, each).digits === digits);
  }

  /** A list that an apply has recorded covers each part of it. */
  function fits(allowed: AllowanceCode, objection: Objection, covers: readonly string[]): boolean {
    if (hasDigits(allowed, objection)) return true;
    const known = recorded.get(formatAllowanceCode({ ...allowed, digits: "" }));
    if (known?.code !== formatAllowanceCode(allowed)) return false;
    const list = new Set(known.covers);
    return covers.every((cover) => list.has(cover));
  }

  /** Whether a person has allowed it, and the code that allows exactly this, to be printed where nothing does. */
  function ask(objection: Objection): { readonly isAllowed: boolean; readonly code: string } {
    const covers = coversOf(objection, scope);
    const code = allowanceCodeOf(objection, scope);
    const text = formatAllowanceCode(code);
    asked.set(text, { code, covers });
    // However a person writes an address, it is recorded as it is printed.
    const as = ({ digits }: AllowanceCode) => ({ ...code, digits });
    const fit = given.find((one) => thingOf(one) === thingOf(code) && fits(as(one), objection, covers));
    if (fit === undefined) return { isAllowed: false, code: text };
    const allowed = formatAllowanceCode(as(fit));
    fitting.add(fit);
    used.set(`${allowed} ${text}`, { code: allowed, covers });
    if (objection.of === "service-reset") {
      // As the state will be: what was allowed before was about what the service has lost, and what is printed now holds afterwards.
      scope = { ...scope, epoch: allowed };
      recorded = new Map();
    }
    return { isAllowed: true, code: text };
  }

  const read = accepts.flatMap((entry) => {
    const names = readObjectionCode(entry.code);
    return names === undefined ? [] : [{ entry, names }];
  });
  const entries = groupBy(
    read.sort((a, b) => byCodeUnit(a.entry.until, b.entry.until)),
    ({ names }) => thingOf(names),
  );

  const offeredUntil = daysAfter(today, offeredDays);

  /**
   * What the roster says under `accept` of something that stays, or how it can say so. Of several entries, one in force counts, and
   * of those the one that lasts longest.
   */
  function accept(objection: Objection<string>, guarded: Acceptable["guarded"]): Acceptable {
    const code = allowanceCodeOf(objection, scope);
    const statusOf = ({ entry: { until }, names }: (typeof read)[number]): AcceptStatus => {
      if (!hasDigits(names, objection)) return "other-facts";
      const latest = daysAfter(today, maxAcceptDays({ guarded }));
      return until < today ? "over" : until > latest ? "too-long" : "in-force";
    };
    const named = (entries.get(thingOf(code)) ?? []).map((one) => ({ ...one.entry, is: statusOf(one) }));
    const [accepted] = acceptStatuses.flatMap((is) => named.findLast((one) => one.is === is) ?? []);
    const offer = { code: formatAllowanceCode(code), until: offeredUntil };
    return { accept: offer, guarded, accepted };
  }

  /** What this plan needs of the same thing, or what the digits belong to. */
  function neededInstead(one: AllowanceCode): readonly Asked[] {
    const all = [...asked.values()];
    const same = all.filter(({ code }) => thingOf(one) === thingOf(code));
    return same.length > 0 ? same : all.filter(({ code }) => one.digits !== "" && code.digits === one.digits);
  }

  function misfit(one: AllowanceCode): readonly GuardViolation[] {
    const needed = neededInstead(one);
    const written = formatAllowanceCode(one);
    if (needed.length === 0) {
      if (one.digits !== "") return [];
      const message = `\`--allow ${written}\` has no digits. Pass the code as a plan prints it. This plan does not need it.`;
      return [{ code: one.of, message }];
    }
    const then = recorded.get(formatAllowanceCode({ ...one, digits: "" }));
    return needed.map(({ code, covers }) => {
      const allow = formatAllowanceCode(code);
      const now = `Now it is about ${describe(covers)}: \`--allow ${allow}\`.`;
      const why =
        one.digits === ""
          ? "it has no digits"
          : then?.code === written
            ? `it is spent, or its facts have changed. It was used at ${then.at} and covered ${describe(then.covers)}`
            : thingOf(one) === thingOf(code)
              ? sentence("other-facts", {})
              : "its digits are those of another code";
      return { code: one.of, message: `\`--allow ${written}\` does not fit this plan: ${why}. ${now}`, allow };
    });
  }

  /** What lets something of this plan pass. */
  function allowancesUsed(): readonly Allowance[] {
    const byCode = multimap([...used.values()].map(({ code, covers }) => [code, covers]));
    return [...byCode].map(([code, covers]) => ({ code, covers: [...new Set(covers.flat())] }));
  }

  /** Codes that do not fit what this plan needs: whoever passed them has read something else. */
  const misfits = () => given.filter((one) => !fitting.has(one)).flatMap(misfit);

  /** Codes of what this plan does not need. */
  function idle(): readonly FindingDraft[] {
    const unneeded = given.filter((one) => !fitting.has(one) && one.digits !== "" && neededInstead(one).length === 0);
    return unneeded.map(formatAllowanceCode).map((code) => {
      const subject = { kind: "other", name: `allowance ${code}` } as const;
      return { ...say("idle-allowance", { code }), subject, because: [], concerns: [] };
    });
  }

  return { ask, accept, used: allowancesUsed, misfits, idle };
}

/** The first names what it is about. */
function describe([about = "", ...facts]: readonly string[]): string {
  return `${about} (${facts.length === 1 ? joinList(facts) : truncateList(facts)})`;
}
