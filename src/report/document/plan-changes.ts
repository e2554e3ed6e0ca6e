import { formatCount, joinList } from "../../codes/message.ts";
import { type RunSummary, refusedMembers } from "../../log/summary.ts";
import { type Action, creationId, ownershipOfPart, prefixOf, teamOf } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { type Group, groupBy, multimap } from "../../model/collections.ts";
import { formatPlace } from "../../model/fact.ts";
import type { PrivilegedKey } from "../../model/key.ts";
import type { Plan } from "../../model/plan.ts";
import type { Ownership, TeamKey } from "../../model/recorded.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { mergeOwnership, withoutCommon } from "../../model/subject.ts";
import { capitalized, firstOf, formatCounts, present } from "../phrases.ts";
import { additionalFacts, formatPlaces, ownershipNotes, unreadFacts, whyActions } from "./actions.ts";
import { type Change, isPrivilegedChange, planChanges, privilegedPart, rolePieces } from "./changes.ts";
import { formatCallCount, formatKey, type PlanNames, planNames } from "./names.ts";
import type { Entries, Entry, Inline, Mark, Paragraph, Piece, Section } from "./tree.ts";
import * as t from "./tree.ts";

/** For what a plan is shown: to be applied, with the run that applied it, or for what apply would do about a drift. */
export type PlanStanding = "to-do" | "planned" | "repair";

export const standingSuffixes = { "to-do": "", planned: ", as planned", repair: " if you apply" } as const;

export interface ChangeContext {
  readonly plan: Plan;
  readonly privileged: RoleSet;
  readonly readings: ReadSummary["readings"] | undefined;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown: ReadSummary["privileges"];
  readonly run: RunSummary | undefined;
}

function byHolder(plan: Plan): readonly Group<Change>[] {
  return [...groupBy(planChanges(plan), ({ address, action }) => address ?? `key ${prefixOfKey(action)}`).values()];
}

function prefixOfKey(action: Action): string {
  return (action.kind === "replace-roles" ? prefixOf(action) : undefined) ?? action.id;
}

/** `ada@acme.example (Ada Lovelace)`; the name only of a person that the plan creates. */
function holderName({ address, action }: Change, names: PlanNames): Inline {
  if (address === undefined) return t.phrase`key ${prefixOfKey(action)}`;
  const creation = names.action(creationId(address));
  const email = names.email(address);
  if (creation?.kind !== "create-user") return t.phrase`${email}`;
  return t.phrase`${email} (${`${creation.user.firstName} ${creation.user.lastName}`})`;
}

/** Team by team, then outside of teams. A person stands in each team in which they change. */
export function changesSection(title: string, context: ChangeContext): Section {
  const placements = byHolder(context.plan).flatMap(placementsOf);
  const byTeam = multimap(placements.map((one) => [one.team, one]));
  const inOrder = [...context.plan.teams.keys(), undefined].map((team) => [team, byTeam.get(team)] as const);
  return t.part(
    t.words(title),
    inOrder.flatMap(([team, people]) => (people ? [teamGroup(team, people, context)] : [])),
  );
}

interface Placement {
  readonly team: TeamKey | undefined;
  readonly changes: Group<Change>;
}

/** The creation of a person stands in the team that it creates, else in their first team. */
function placementsOf(changes: Group<Change>): readonly Placement[] {
  const first = changes.find(({ team }) => team !== undefined)?.team;
  const placeOf = (change: Change) => {
    const isNewKey = change.is === "roles" && change.of === "own-key" && change.before.known === "new-key";
    return change.is === "account" || isNewKey ? (teamOf(change.action) ?? first) : change.team;
  };
  const placed = multimap(changes.map((change) => [placeOf(change), change]));
  return [...placed].map(([team, own]) => ({ team, changes: own }));
}

function actionsOf(people: readonly Placement[]): readonly Action[] {
  return [...new Set(people.flatMap(({ changes }) => changes.map(({ action }) => action)))];
}

function teamGroup(team: TeamKey | undefined, people: readonly Placement[], context: ChangeContext): Entries {
  const names = planNames(context.plan);
  const actions = actionsOf(people);
  const additions = actions.filter((action) => action.kind === "add-members");
  const mails = additions.reduce((sum, { members }) => sum + members.length, 0);
  const keys = people.filter(({ changes }) => changes[0].address === undefined).length;
  const counts = formatCounts([people.length - keys, "person", "people"], [keys, "key"]);
  const creation = team && actions.find((one) => one.kind === "create-user" && one.createsTeam?.team === team);
  const owners = people.map(ownershipOf);
  const common = owners.reduce((left, one) => withoutCommon(left, withoutCommon(left, one)), owners[0]);
  const isNew = people.some(({ changes }) => changes.some(({ is }) => is === "account"));
  const hasKeys = people.some(({ changes }) =>
    changes.some((one) => one.is === "roles" && one.before.known !== "new-key"),
  );
  const what = capitalized(joinList(present(isNew && "new users", (hasKeys || !isNew) && "keys")));
  const outside = context.plan.teams.size === 0 ? what : `${what} outside these teams`;
  const name = team === undefined ? outside : `Team ${names.teamInFull(team)}`;
  const admin = creation?.kind === "create-user" ? (creation.createsTeam?.admin ?? creation.address) : undefined;
  const known = team && (names.identifier(team) ?? "identifier unknown");
  const state = admin === undefined ? known : `new, admin ${names.email(admin)}`;
  const aside = state === undefined || name.includes(`(${state})`) ? "" : ` (${state})`;
  const size = [...counts, formatCallCount(actions), ...formatCounts([mails, "mail"])].join(", ");
  return {
    kind: "entries",
    as: "changes",
    title: [t.inked("strong", name), `${aside}: ${size}`],
    notes: [...ownershipNotes(common), ...unreadFacts(additions.flatMap(({ restsOn }) => restsOn))],
    entries: people.map((one, index) => personEntry(one, withoutCommon(owners[index], common), context)),
  };
}

/** What is said of the membership counts before what is said of the user, who may come with it. */
function ownershipOf(placement: Placement): Ownership | undefined {
  const actions = actionsOf([placement]);
  const inOrder = actions.toSorted((a, b) => Number(a.kind === "create-user") - Number(b.kind === "create-user"));
  return mergeOwnership(...inOrder.map((action) => ownershipOfPart(action, placement.changes[0].address)));
}

function personEntry(placement: Placement, whose: Ownership | undefined, context: ChangeContext): Entry {
  const { plan, privileged, run } = context;
  const { changes } = placement;
  const [{ address }] = changes;
  const actions = actionsOf([placement]);
  const own = actions.filter(({ kind }) => kind !== "add-members");
  const isPrivileged = changes.some((change) => isPrivilegedChange(change, privileged));
  const isLeaver = actions.some(({ rule }) => rule === "leaver-roles-removed");
  const retries = actions.reduce((sum, { id }) => sum + (run?.retries.get(id) ?? 0), 0);
  const retried = `Retried ${formatCount(retries, "time")}: the service did not accept the call at once.`;
  const mark = changeMark(changes);
  // The first place of each call, each once.
  const places = new Map(changes.flatMap(({ because: [place] }) => (place ? [[formatPlace(place), place]] : [])));
  return {
    mark,
    ink: isPrivileged ? "alarm" : t.markInks[mark],
    about: [...holderName(changes[0], planNames(plan)), ...(isLeaver ? t.words(" (leaver)") : [])],
    what: changePieces(placement, context),
    place: formatPlaces([...places.values()]),
    notes: [...ownershipNotes(whose), ...unreadFacts(own.flatMap(additionalFacts))],
    labels: present(isPrivileged && "privileged", run && partResult(run, actions, address), retries > 0 && "retried"),
    details: () => [...(retries === 0 ? [] : [t.sentence(retried)]), ...whyActions(actions, address, context)],
    actions: actions.map(({ id }) => id),
  };
}

/** `+` adds only, `-` removes only, `~` does both, or the roles before are unknown. */
function changeMark(changes: readonly Change[]): Mark {
  const roles = changes.filter((change) => change.is === "roles");
  if (roles.some(({ before }) => before.known === "unknown")) return "~";
  const loses = roles.some((change) => change.loses.length > 0);
  const gains = changes.some((change) => change.is !== "roles" || change.gains.length > 0);
  return loses ? (gains ? "~" : "-") : "+";
}

function changePieces({ changes, team }: Placement, { plan, privileged }: ChangeContext): readonly Piece[] {
  // What the service gives a new person's own key is the same for everybody, and no line of the plan is about it.
  const shown = changes.filter(
    (change) => !(change.is === "roles" && change.of === "own-key" && change.after === "whatever-comes"),
  );
  return shown.flatMap((change, index): readonly Piece[] => {
    const isNextKey = change.is === "roles" && shown[index - 1]?.is === "roles";
    const between = index === 0 ? [] : [isNextKey ? "; " : ", "];
    if (change.is !== "roles") {
      const account = change.action.kind === "create-user" && team === undefined ? ` in ${change.action.account}` : "";
      const does = { account: `new${account}`, "first-member": "first member", added: "invited by mail" };
      return [...between, does[change.is]];
    }
    const isClear = change.address === undefined || (team !== undefined && change.of === "team-key");
    const key = isClear ? [] : [`${formatKey(change, planNames(plan))} `];
    return [...between, ...key, ...rolePieces(change, privileged)];
  });
}

function partResult(run: RunSummary, actions: readonly Action[], person: EmailKey | undefined): string {
  const outcomes = actions.map(({ id }) => run.outcomes.get(id));
  const ends = new Set(outcomes.map((outcome) => outcome?.is));
  const worst = (["failed", "unknown", "stale", "skipped"] as const).find((is) => ends.has(is));
  if (worst !== undefined) return worst === "unknown" ? "unknown outcome" : worst;
  const refused = outcomes.flatMap((outcome) => (outcome === undefined ? [] : refusedMembers(outcome)));
  if (refused.some(({ address }) => address === person)) return "refused";
  if (ends.has(undefined)) return "not started";
  return ends.has("succeeded") ? "done" : "unchanged";
}

/** An entry for each key, none of them ever folded. */
export function privilegeSection(title: string, context: ChangeContext): Section {
  const { plan, privileged, shown } = context;
  // Who gains a privileged role comes first, then who has one for a short time, then who loses one.
  const kinds = ["gains", "temporary", "loses"] as const;
  const people = groupBy(byHolder(plan), (changes) =>
    kinds.find((kind) => changes.some((change) => privilegedPart(change, privileged)[kind].length > 0)),
  );
  const changes = kinds.flatMap((kind) => people.get(kind) ?? []).flat();
  const lost = new Map(planChanges(plan).flatMap((one) => (one.is === "roles" ? [[one.prefix, one.loses]] : [])));
  const left = (shown ?? []).map((one) => ({ ...one, roles: rolesWithout(one.roles, lost.get(one.prefix) ?? []) }));
  const entries = changes
    .filter((change) => isPrivilegedChange(change, privileged))
    .map((change) => privilegeEntry(change, left, context));
  const unknown = t.sentence("A saved plan does not show other keys of the same users.", "dim");
  return t.section(title, entries, { notes: shown === undefined ? [unknown] : [] });
}

/** `left`: the privileged roles that the plan leaves on the keys that were shown. */
function privilegeEntry(change: Change, left: readonly PrivilegedKey[], context: ChangeContext): Entry {
  const { plan, privileged, shown = [] } = context;
  const names = planNames(plan);
  const { action, address, because } = change;
  const { gains, loses, temporary, before } = privilegedPart(change, privileged);
  const rolesOf = (roles: RoleSet): Inline => [t.inked("alarm", roles.join(", "))];
  // A key whose roles were not shown may have had it before.
  const gain = t.words(before.known === "unknown" ? "gets (before unknown)" : "gains");
  const parts = [
    gains.length === 0 ? [] : t.phrase`${gain} ${rolesOf(gains)}`,
    temporary.length === 0 ? [] : t.phrase`has ${rolesOf(temporary)} for a short time`,
    loses.length === 0 ? [] : t.phrase`loses ${rolesOf(loses)}`,
  ];
  const where = address === undefined || change.is !== "roles" ? [] : t.phrase` on the ${[formatKey(change, names)]}`;
  const others = (verb: string, known: readonly PrivilegedKey[], roles: RoleSet) =>
    otherKeys(verb, address === undefined ? [] : known.filter((one) => one.address === address), roles);
  const elsewhere = [...others("already has it", shown, gains), ...others("still has it", left, loses)];
  return t.entry([...t.joinInline(parts, " and "), ...where, ...elsewhere], {
    mark: loses.length === 0 ? "+" : gains.length + temporary.length === 0 ? "-" : "~",
    ink: "alarm",
    about: holderName(change, names),
    place: formatPlaces(because.slice(0, 1)),
    labels: ["privileged"],
    details: () => whyActions([action], address, context),
    actions: [action.id],
  });
}

/** `, and still has it on the key in Ops (p1)`: other keys of the same person that carry one of these roles. */
function otherKeys(verb: string, known: readonly PrivilegedKey[], roles: RoleSet): Inline {
  const keys = known.filter((one) => one.roles.some((role) => roles.includes(role)));
  if (keys.length === 0) return [];
  const places = keys.map(({ team, prefix }) =>
    team === undefined ? t.phrase`the key ${prefix}` : t.phrase`the key in ${team} (${prefix})`,
  );
  const shown = firstOf(places, 3, (more) => t.words(`${more} more keys`));
  return t.phrase`, and ${t.strong(t.words(verb))} on ${t.listInline(shown)}`;
}

export function privilegeSummary(plan: Plan, privileged: RoleSet, is: PlanStanding): readonly Paragraph[] {
  const all = planChanges(plan).map((change) => privilegedPart(change, privileged));
  const added = all.filter(({ gains }) => gains.length > 0);
  const unsure = added.filter(({ before }) => before.known === "unknown").length;
  const brief = all.filter(({ temporary }) => temporary.length > 0).length;
  const removed = all.filter(({ loses }) => loses.length > 0).length;
  const keys = (count: number) => formatCount(count, "key");
  const parts = present(
    added.length > unsure && `add to ${keys(added.length - unsure)}`,
    unsure > 0 && `set on ${keys(unsure)} that may have them already`,
    brief > 0 && `give to ${keys(brief)} for a short time`,
    removed > 0 && `remove from ${keys(removed)}`,
  );
  const text = `Privileged roles${standingSuffixes[is]}: ${joinList(parts)}.`;
  return parts.length === 0 ? [] : [t.sentence(text, "alarm")];
}
