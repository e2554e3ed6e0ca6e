import type { FindingTexts } from "../../codes/message.ts";
import { type Action, peopleOf, type ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { declared, distinctReasons } from "../../model/fact.ts";
import type { NamesInCalls } from "../../model/plan.ts";
import type { GuardSettings, LocatedSetting } from "../../model/policy.ts";
import type { Basis, Subject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import type { Hold, Withheld } from "./guard-types.ts";

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
