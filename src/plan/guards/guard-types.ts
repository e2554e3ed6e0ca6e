import type { Action, ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { declared, distinctReasons, type Fact, factValue, type Reason } from "../../model/fact.ts";
import type { GuardSettings, HoldName, LocatedSetting, StopName } from "../../model/policy.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { State } from "../../model/state.ts";
import type { Basis, Subject } from "../../model/subject.ts";
import { type MembershipKey, membershipKeyOf, type TeamKey } from "../../model/team.ts";
import type { PruneTarget } from "../actions.ts";
import type { PlanContext } from "../context.ts";
import type { FindingDraft } from "../finding-draft.ts";
import type { TeamIdentities } from "../identities.ts";

/** What a guard looks at. */
export interface GuardInput {
  readonly context: PlanContext;
  /** Holds see every action that is asked for, stops those that would be done, in the same order. */
  readonly actions: readonly Action[];
  readonly teams: TeamIdentities;
  /** Every key of a known prefix whose roles the roster manages, once. */
  readonly managedKeys: readonly ManagedKey[];
  /** The prefix of the key with which the plan would be applied, where it is known. */
  readonly keyInUse?: string | undefined;
}

export interface ManagedKey {
  readonly prefix: string;
  /** What it carries before the plan, as far as that is known. */
  readonly before: Fact<RoleSet>;
  /** The lines of the roster that ask for its roles. */
  readonly because: readonly Reason[];
}

/** A guard that withholds actions. Each of its holds is a finding of its own. */
export interface HoldGuard {
  readonly name: HoldName;
  readonly check: (input: GuardInput) => readonly Hold[];
}

export interface Hold
  extends Pick<FindingDraft, "subject" | "roles" | "message" | "because" | "restsOn" | "suggestedYaml"> {
  readonly withholds: readonly HoldTarget[];
  /** What an allowance of it covers. Empty where nobody can allow it. */
  readonly facts: readonly string[];
}

/** What a hold withholds. People and teams that are not there yet are left out before first members are chosen. */
export type HoldTarget =
  | { readonly of: "person"; readonly address: EmailKey }
  | { readonly of: "team"; readonly team: TeamKey }
  | { readonly of: "privilege"; readonly place: MembershipKey }
  | ({ readonly of: "part" } & Omit<PruneTarget<unknown>, "cause">);

/** A guard that refuses the plan as a whole. */
export interface StopGuard {
  readonly name: StopName;
  readonly check: (input: GuardInput) => Stop | undefined;
}

interface Stop {
  /** What it has against the plan, with the numbers and the people, in sentences. */
  readonly message: string;
  /** The list that it is about: an allowance covers each part of it. */
  readonly facts: readonly string[];
}

/** The replacements of roles on the keys of these people. */
export function roleLossFacts({ actions, context }: GuardInput, people: readonly EmailKey[]): readonly string[] {
  const calls = actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.owner === undefined) return [];
    return people.includes(action.owner.address) ? callFacts(action, context.state) : [];
  });
  return [...people.map((address) => `${address} loses it`), ...calls];
}

/** A call as an allowance covers it: with the last that is recorded about the same, so that it is covered once. */
export function callFacts(action: Action, state: State): readonly string[] {
  switch (action.kind) {
    case "create-user":
      return [`create ${action.address}${after(state.users.get(action.address)?.createdAt)}`];
    case "add-members":
      return action.members.map(({ address }) => additionFact(address, action.team.team, state));
    case "replace-roles":
      return [rolesFact(`set ${JSON.stringify(action.roles)}`, action, state)];
  }
}

export function additionFact(address: EmailKey, team: TeamKey, { memberships }: State): string {
  const last = after(memberships.get(membershipKeyOf(team, address))?.at);
  return `add ${address} to ${JSON.stringify(team)}${last}`;
}

/** What is done to a key, which is named by its place: so it is named alike before it is there and afterwards. */
export function rolesFact(change: string, { key, owner }: ReplaceRoles, { users, keys }: State): string {
  const address = key.of === "prefix" ? owner?.address : key.address;
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const record = address === undefined ? undefined : users.get(address);
  const isRecordedOwn = record?.key !== undefined && record.key === prefix && record.createdTeam === undefined;
  const isOwn = key.of === "own-key" || (key.of === "prefix" && key.own === true) || isRecordedOwn;
  const last = after(prefix === undefined ? undefined : keys.get(prefix)?.at);
  if (address === undefined) return `${change} on the key ${prefix}${last}`;
  if (isOwn) return `${change} on the own key of ${address}${last}`;
  const team = key.team?.team;
  return team === undefined ? `${change} on the key ${prefix}${last}` : teamKeyFact(change, address, team, last);
}

export function teamKeyFact(change: string, address: EmailKey, team: TeamKey, last = ""): string {
  return `${change} on the key of ${address} in ${JSON.stringify(team)}${last}`;
}

function after(at: string | undefined): string {
  return at === undefined ? "" : `, last done at ${at}`;
}

/** What one action would do about a person or a key, and what a hold withholds of it. */
export interface WithheldEffect {
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
  readonly withheld: HoldTarget;
  /** What an allowance of it covers. */
  readonly facts: readonly string[];
}

/** `address`: the person that the effect is about, where it is about one. */
export function withheldEffect(
  action: Action,
  address: EmailKey | undefined,
  withheld: HoldTarget,
  facts: readonly string[],
): WithheldEffect {
  return { because: action.because, restsOn: basesAbout(action, address), withheld, facts };
}

/** One hold on all that a plan would do about one person or key; each reason and each fact stands once. */
export function holdOn(
  subject: Subject,
  effects: readonly WithheldEffect[],
  setting: readonly Basis[],
  message: string,
): Hold {
  return {
    subject,
    message,
    facts: effects.flatMap(({ facts }) => facts),
    because: distinctReasons(effects.flatMap(({ because }) => because.slice(0, 1))),
    restsOn: distinctBases([...setting, ...effects.flatMap(({ restsOn }) => restsOn)]),
    withholds: effects.map(({ withheld }) => withheld),
  };
}

/** What an action rests on as far as it is about one person: what a hold that is about them rests on as well. */
function basesAbout(action: Action, address: EmailKey | undefined): readonly Basis[] {
  const { restsOn } = action;
  switch (action.kind) {
    case "create-user": {
      return restsOn.filter(({ about }) => about.kind === "user" && about.address === action.address);
    }
    case "add-members": {
      if (address === undefined) return restsOn;
      return restsOn.filter(({ about }) => about.kind === "member" && about.address === address);
    }
    case "replace-roles":
      return restsOn;
  }
}

/** The setting by which a guard holds, with its line; nothing where its default does. */
export function settingBasis(setting: LocatedSetting, says: string, { setAt }: GuardSettings): readonly Basis[] {
  const place = setAt?.[setting];
  return place === undefined ? [] : [{ about: { kind: "setting", setting }, fact: declared(says, place) }];
}

/** Each fact once, however many actions rest on it. */
function distinctBases(facts: readonly Basis[]): readonly Basis[] {
  return [...new Map(facts.map((basis) => [JSON.stringify([basis.about, basis.fact]), basis])).values()];
}
