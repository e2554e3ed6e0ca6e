import type { FindingTexts } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import { latest } from "../../model/collections.ts";
import { type Basis, declared, distinctReasons, type Subject } from "../../model/fact.ts";
import { type Action, type NamesInCalls, peopleOf, prefixOf, type ReplaceRoles } from "../../model/plan.ts";
import type { GuardSettings, LocatedSetting } from "../../model/policy.ts";
import { type MembershipKey, membershipKeyOf } from "../../model/team.ts";
import type { TeamKey } from "../../model/values.ts";
import type { PruneTarget } from "../actions.ts";
import type { FindingDraft, PlanContext } from "../context.ts";
import type { TeamIdentities } from "../identify-teams.ts";

export interface GuardInput extends NamesInCalls {
  readonly context: PlanContext;
  /** Holds see every action that is asked for, stops those that would be done, in the same order. */
  readonly actions: readonly Action[];
  readonly identities: TeamIdentities;
  /** The prefixes of the keys whose roles the roster manages, and of which it is known what they carry. */
  readonly knownKeys: ReadonlySet<string>;
}

export interface Hold
  extends Pick<FindingDraft, "subject" | "roles" | "message" | "because" | "restsOn" | "suggestedYaml"> {
  readonly withholds: readonly HoldTarget[];
  /** What an allowance of it covers. Empty where nobody can allow it. */
  readonly facts: readonly string[];
}

/** What a hold withholds. People and teams that are not there yet are left out before first members are chosen. */
type HoldTarget =
  | { readonly of: "person"; readonly address: EmailKey }
  | { readonly of: "team"; readonly team: TeamKey }
  | { readonly of: "privilege"; readonly place: MembershipKey }
  | ({ readonly of: "part" } & Omit<PruneTarget<unknown>, "cause">);

/** What a hold withholds of one action. */
export interface Withheld {
  readonly action: Action;
  readonly target: HoldTarget;
  /** What an allowance of it covers. */
  readonly facts: readonly string[];
}

export interface Stop {
  /** What it has against the plan, with the numbers and the people, in sentences. */
  readonly message: string;
  /** The list that it is about: an allowance covers each part of it. */
  readonly facts: readonly string[];
}

/** One hold on all that a plan would do about one person or key; each reason and each fact stands once. */
export function holdOn(
  subject: Subject,
  withheld: readonly Withheld[],
  setting: readonly Basis[],
  { message, suggestedYaml }: FindingTexts,
): Hold {
  const restsOn = [...setting, ...withheld.flatMap(basesAbout)];
  return {
    subject,
    message,
    suggestedYaml,
    facts: withheld.flatMap(({ facts }) => facts),
    because: distinctReasons(withheld.flatMap(({ action }) => action.because.slice(0, 1))),
    restsOn: [...new Map(restsOn.map((basis) => [JSON.stringify([basis.about, basis.fact]), basis])).values()],
    withholds: withheld.map(({ target }) => target),
  };
}

/** What an action rests on, as far as it is about the person of whom something is withheld. */
function basesAbout({ action, target }: Withheld): readonly Basis[] {
  if (action.kind === "replace-roles") return action.restsOn;
  const kind = action.kind === "create-user" ? "user" : "member";
  const who = action.kind === "create-user" ? action.address : target.of === "part" ? target.address : undefined;
  return action.restsOn.filter(({ about }) => about.kind === kind && about.address === who);
}

/** What an action does to one person: a creation, one member of an addition, or the roles of a key. */
export function withheldFrom(address: EmailKey | undefined, action: Action, facts: readonly string[]): Withheld {
  if (action.kind === "create-user") return { action, target: { of: "person", address: action.address }, facts };
  const part = action.kind === "add-members" ? { address } : {};
  return { action, target: { of: "part", action: action.id, ...part }, facts };
}

/** The people whom an action creates or adds. A new team's administrator is none of them. */
export function invitedBy(action: Action): readonly EmailKey[] {
  if (action.kind === "create-user") return [action.address];
  return action.kind === "add-members" ? peopleOf(action) : [];
}

/** Who holds a key, by reads, then by records. */
export function holdersOf(prefix: string, { facts }: PlanContext): readonly EmailKey[] {
  const shown = facts.keysPrefixed(prefix).map(({ holder }) => holder.address);
  return [...shown, ...facts.recordedHolders(prefix).map(({ address }) => address)];
}

/** Such as `the team key in Red`. */
export function nameOfKey(action: ReplaceRoles, { teams }: Pick<NamesInCalls, "teams">): string {
  const { key } = action;
  if (key.of === "own-key") return "their own key";
  const team = key.team && (teams.get(key.team)?.name ?? key.team);
  if (key.of === "team-key") return `the team key in ${team}`;
  return `the key ${key.prefix.value}${team === undefined ? "" : ` in ${team}`}`;
}

/** The setting by which a guard holds, with its line; nothing where its default does. */
export function settingBasis(setting: LocatedSetting, says: string, { setAt }: GuardSettings): readonly Basis[] {
  const place = setAt?.[setting];
  return place === undefined
    ? []
    : [{ about: { kind: "other", name: `setting ${setting}` }, fact: declared(says, place) }];
}

type RecordedCalls = Pick<PlanContext, "state" | "rolesSetAt">;

export function roleLossFacts({ actions, context }: GuardInput, people: readonly EmailKey[]): readonly string[] {
  const theirs = actions.filter((one) => one.kind === "replace-roles" && people.some((who) => who === one.key.address));
  return [...people.map((address) => `${address} loses it`), ...theirs.flatMap((action) => callFacts(action, context))];
}

/** A call, or one member of it, as an allowance covers it: with the last that is recorded about the same, so that it is covered once. */
export function callFacts(action: Action, recorded: RecordedCalls, member?: EmailKey): readonly string[] {
  const { users, memberships } = recorded.state;
  switch (action.kind) {
    case "create-user":
      return [`create ${action.address}${after(users.get(action.address)?.createdAt)}`];
    case "add-members": {
      const { team } = action;
      const last = (address: EmailKey) => after(memberships.get(membershipKeyOf(team, address))?.at);
      const people = member === undefined ? peopleOf(action) : [member];
      return people.map((address) => `add ${address} to ${JSON.stringify(team)}${last(address)}`);
    }
    case "replace-roles":
      return [rolesFact(`set ${JSON.stringify(action.roles)}`, action, recorded)];
  }
}

/** What is done to a key, which is named by its place: so it is named alike before it is there and afterwards. */
export function rolesFact(change: string, action: ReplaceRoles, recorded: RecordedCalls): string {
  const { key } = action;
  const { address } = key;
  const { users, keys } = recorded.state;
  const prefix = prefixOf(action);
  const set = prefix === undefined ? undefined : keys.get(prefix)?.at;
  if (address === undefined) return `${change} on the key ${prefix}${after(set)}`;
  const record = users.get(address);
  const last = after(latest(set, record?.formerRolesAt));
  const isRecordedOwn = record?.key !== undefined && record.key === prefix && record.createdTeam === undefined;
  if (key.of === "own-key" || (key.of === "prefix" && key.own === true) || isRecordedOwn)
    return `${change} on the own key of ${address}${last}`;
  if (key.team === undefined) return `${change} on the key ${prefix}${last}`;
  return teamKeyFact(change, address, key.team, recorded, set);
}

/** A key that somebody took away and another one of the same member count as one: what was allowed of it was sent. */
export function teamKeyFact(
  change: string,
  address: EmailKey,
  team: TeamKey,
  { state, rolesSetAt }: RecordedCalls,
  set?: string,
): string {
  const last = latest(set, rolesSetAt.get(membershipKeyOf(team, address)), state.users.get(address)?.formerRolesAt);
  return `${change} on the key of ${address} in ${JSON.stringify(team)}${after(last)}`;
}

function after(at: string | undefined): string {
  return at === undefined ? "" : `, last done at ${at}`;
}
