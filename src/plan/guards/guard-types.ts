import type { Action } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { declared, distinctReasons, type Fact, type Reason } from "../../model/fact.ts";
import type { GuardSettings, HoldName, LocatedSetting, StopName } from "../../model/policy.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { Basis, Subject } from "../../model/subject.ts";
import type { MembershipKey, TeamKey } from "../../model/team.ts";
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
  /** What it has against the plan, with the numbers and the people, in sentences. */
  readonly check: (input: GuardInput) => string | undefined;
}

/** What one action would do about a person or a key, and what a hold withholds of it. */
export interface WithheldEffect {
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
  readonly withheld: HoldTarget;
}

/** `address`: the person that the effect is about, where it is about one. */
export function withheldEffect(action: Action, address: EmailKey | undefined, withheld: HoldTarget): WithheldEffect {
  return { because: action.because, restsOn: basesAbout(action, address), withheld };
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
