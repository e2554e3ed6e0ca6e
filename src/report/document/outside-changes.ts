import type { ReplaceRoles } from "../../model/action.ts";
import type { DriftItem, OutsideChange } from "../../model/drift.ts";
import { factValue } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import { rolesWithout, sameRoles } from "../../model/role-set.ts";
import type { PlanNames } from "./actions.ts";
import { joinSentences } from "./problems.ts";
import { type Inline, joinInline, phrase, plainText, values, words } from "./tree.ts";

/** What reports say about an item of a drift. Nothing about what apply would do where nothing was changed outside roster. */
interface ItemSentences {
  /** Who gained or lost what outside roster. */
  readonly changes: readonly Inline[];
  /** What apply does about these changes. */
  readonly repair: readonly Inline[];
  /** What a finding says, or adds. */
  readonly finding: readonly Inline[];
}

export function itemSentences(item: DriftItem, names: PlanNames): ItemSentences {
  const { of } = item;
  const changes = outsideChangeSentences(item);
  if (changes.length === 0) return { changes, repair: [], finding: of.is === "finding" ? [[of.finding.message]] : [] };
  const finding = of.is === "finding" ? [findingAfterSentences(of.finding, item)] : [];
  return { changes, repair: [repairSentence(item, names)], finding };
}

/** All of it as a text. */
export function itemText(item: DriftItem, names: PlanNames): string {
  const { changes, repair, finding } = itemSentences(item, names);
  return joinSentences(...[...changes, ...repair, ...finding].map(plainText));
}

/** One sentence for each change, such as `olga@acme.example gained ACCOUNT_ADMIN on their key in Pricing, outside roster.` */
function outsideChangeSentences({ outside = [] }: DriftItem): readonly Inline[] {
  return outside.map((change) =>
    change.is === "privileged-roles-found" || change.is === "privileged-roles-left"
      ? phrase`${rolesHeld(change)}. The roster does not give ${words(pronoun(change.gained))}.`
      : phrase`${whatHappened(change)}, outside roster.`,
  );
}

function whatHappened(change: OutsideChange): Inline {
  const who = change.person === undefined ? phrase`A user` : phrase`${change.person.email}`;
  return happenings[change.is](change, who);
}

const happenings: Readonly<Record<OutsideChange["is"], (change: OutsideChange, who: Inline) => Inline>> = {
  "roles-changed": rolesChanged,
  "privileged-roles-found": rolesHeld,
  "privileged-roles-left": rolesHeld,
  "key-removed": (change) => phrase`${keyHolder(change)}${rolesAfter(" with ", change.lost)} was removed`,
  "member-added": ({ team = aTeam, gained }, who) =>
    phrase`${who} was added to ${team}${rolesAfter(" and gained ", gained)}`,
  "member-removed": ({ team = aTeam, lost }, who) =>
    phrase`${who} was removed from ${team}${rolesAfter(" and lost ", lost)}`,
  "user-removed": ({ lost }, who) => phrase`${who} was removed from the service${rolesAfter(" and lost ", lost)}`,
  "user-replaced": (_, who) => phrase`${who} is another user now`,
  "email-changed": ({ to = anotherOne }, who) => phrase`The address of ${who} was changed to ${to}`,
  "account-changed": ({ to = anotherOne }, who) => phrase`${who} was moved to the account ${to}`,
  "profile-changed": ({ fields = [] }, who) => phrase`The profile of ${who} was changed (${values(fields)})`,
  "team-renamed": ({ team = aTeam, to = anotherOne }) => phrase`The team ${team} was renamed to ${to}`,
};

const aTeam = "a team";
const anotherOne = "another one";

function rolesAfter(before: string, roles: readonly string[]): Inline {
  return roles.length === 0 ? [] : phrase`${words(before)}${values(roles)}`;
}

function rolesChanged(change: OutsideChange): Inline {
  const { gained, lost } = change;
  const parts = [
    ...(gained.length === 0 ? [] : [phrase`gained ${values(gained)}`]),
    ...(lost.length === 0 ? [] : [phrase`lost ${values(lost)}`]),
  ];
  return onKey(joinInline(parts, " and "), change);
}

function rolesHeld(change: OutsideChange): Inline {
  const still = change.is === "privileged-roles-left" ? "still has" : "has";
  return onKey(phrase`${words(still)} ${values(change.gained)}`, change);
}

function onKey(what: Inline, { person, team, key }: OutsideChange): Inline {
  if (person === undefined) return phrase`The key ${key?.prefix ?? ""} ${what}`;
  const where =
    team !== undefined
      ? phrase`key in ${team}`
      : key?.isOwn === true
        ? words("own key")
        : phrase`key ${key?.prefix ?? ""}`;
  return phrase`${person.email} ${what} on their ${where}`;
}

function keyHolder({ person, team, key }: OutsideChange): Inline {
  const where = team === undefined ? [] : phrase` in ${team}`;
  const whose = person === undefined ? [] : phrase` of ${person.email}`;
  return phrase`The key ${key?.prefix ?? ""}${whose}${where}`;
}

/** What apply does about a change: it undoes it, or a person must. */
function repairSentence({ of, outside = [] }: DriftItem, names: PlanNames): Inline {
  if (of.is === "finding")
    return words(of.finding.kind === "task" ? "A person has to correct this." : "apply does not change it.");
  const action = names.action(of.action);
  switch (action?.kind) {
    case undefined:
      return words("apply corrects it.");
    case "create-user":
      return words("apply creates the user again.");
    case "add-members":
      return words("apply adds the member again.");
    case "replace-roles":
      return roleRepair(action, outside);
  }
}

/** What a finding adds to the sentences about its change. An extra member's own message would say again who holds what where. */
function findingAfterSentences({ message }: Finding, { outside = [] }: DriftItem): Inline {
  const added = outside.find((change) => change.is === "member-added");
  if (added?.key === undefined) return [message];
  return phrase`The API cannot remove members. Remove the member in the service (key ${added.key.prefix}), or add them to the roster.`;
}

function roleRepair({ before, roles }: ReplaceRoles, [change, another]: readonly OutsideChange[]): Inline {
  const carried = factValue(before);
  if (carried === undefined || change === undefined || another !== undefined) return exactRoles(roles);
  const { gained, lost } = change;
  const undoesIt = sameRoles(rolesWithout(carried, roles), gained) && sameRoles(rolesWithout(roles, carried), lost);
  if (!undoesIt) return exactRoles(roles);
  if (lost.length === 0) return words(`apply removes ${pronoun(gained)}.`);
  if (gained.length === 0) return words(`apply gives ${pronoun(lost)} back.`);
  return phrase`apply removes ${values(gained)} and gives ${values(lost)} back.`;
}

function exactRoles(roles: ReplaceRoles["roles"]): Inline {
  return roles.length === 0
    ? words("apply removes all roles of the key.")
    : phrase`apply sets the roles to ${values(roles)}.`;
}

function pronoun(roles: readonly string[]): string {
  return roles.length === 1 ? "it" : "them";
}
