import type { Action, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { declared, distinctReasons, factValue } from "../../model/fact.ts";
import type { GuardSettings, HoldName, LocatedSetting, StopName } from "../../model/policy.ts";
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
  /** The prefixes of the keys whose roles the roster manages, and of which it is known what they carry. */
  readonly knownKeys: ReadonlySet<string>;
  /** The prefix of the key with which the plan would be applied, where it is known. */
  readonly keyInUse?: string | undefined;
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

export interface Stop {
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
  const prefix = prefixOf(key);
  const last = after(prefix === undefined ? undefined : keys.get(prefix)?.at);
  const address = key.of === "prefix" ? owner?.address : key.address;
  if (address === undefined) return `${change} on the key ${prefix}${last}`;
  const record = users.get(address);
  const isRecordedOwn = record?.key !== undefined && record.key === prefix && record.createdTeam === undefined;
  if (key.of === "own-key" || (key.of === "prefix" && key.own === true) || isRecordedOwn)
    return `${change} on the own key of ${address}${last}`;
  if (key.team === undefined) return `${change} on the key ${prefix}${last}`;
  return `${teamKeyFact(change, address, key.team.team)}${last}`;
}

export function teamKeyFact(change: string, address: EmailKey, team: TeamKey): string {
  return `${change} on the key of ${address} in ${JSON.stringify(team)}`;
}

/** Undefined of a key that an action of the plan gives. */
export function prefixOf(key: KeyRef): string | undefined {
  return key.of === "prefix" ? factValue(key.prefix) : undefined;
}

function after(at: string | undefined): string {
  return at === undefined ? "" : `, last done at ${at}`;
}

/** What a hold withholds of one action. */
export interface Withheld {
  readonly action: Action;
  readonly target: HoldTarget;
  /** What an allowance of it covers. */
  readonly facts: readonly string[];
}

/** One hold on all that a plan would do about one person or key; each reason and each fact stands once. */
export function holdOn(
  subject: Subject,
  withheld: readonly Withheld[],
  setting: readonly Basis[],
  message: string,
): Hold {
  const restsOn = [...setting, ...withheld.flatMap(basesAbout)];
  return {
    subject,
    message,
    facts: withheld.flatMap(({ facts }) => facts),
    because: distinctReasons(withheld.flatMap(({ action }) => action.because.slice(0, 1))),
    restsOn: [...new Map(restsOn.map((basis) => [JSON.stringify([basis.about, basis.fact]), basis])).values()],
    withholds: withheld.map(({ target }) => target),
  };
}

/** What an action rests on, as far as it is about the person of whom something is withheld. */
function basesAbout({ action, target }: Withheld): readonly Basis[] {
  switch (action.kind) {
    case "create-user":
      return action.restsOn.filter(({ about }) => about.kind === "user" && about.address === action.address);
    case "add-members": {
      const address = target.of === "part" ? target.address : undefined;
      return action.restsOn.filter(({ about }) => about.kind === "member" && about.address === address);
    }
    case "replace-roles":
      return action.restsOn;
  }
}

/** The setting by which a guard holds, with its line; nothing where its default does. */
export function settingBasis(setting: LocatedSetting, says: string, { setAt }: GuardSettings): readonly Basis[] {
  const place = setAt?.[setting];
  return place === undefined ? [] : [{ about: { kind: "setting", setting }, fact: declared(says, place) }];
}
