import { formatCount } from "../../codes/message.ts";
import { type RunSummary, refusedMembers } from "../../log/summary.ts";
import { type Action, type ActionId, ownershipOfPart } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { multimap } from "../../model/collections.ts";
import { formatPlace } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { Ownership, TeamKey } from "../../model/recorded.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { mergeOwnership, withoutCommon } from "../../model/subject.ts";
import {
  type AccessChange,
  type AccessHolder,
  accessChanges,
  type ChangedKey,
  isPrivilegedChange,
  type PersonAccess,
  type RoleChange,
} from "../access/access-changes.ts";
import { formatCounts } from "../phrases.ts";
import {
  type ActionTeam,
  additionalFacts,
  formatBefore,
  formatCallCount,
  formatPlaces,
  ownershipNotes,
  type PlanNames,
  planNames,
  teamsOfPlan,
  unreadFacts,
} from "./actions.ts";
import { whyActions } from "./reasons.ts";
import {
  type Entries,
  type Entry,
  type Ink,
  type Inline,
  inked,
  type Mark,
  markInks,
  type Piece,
  part,
  phrase,
  type Section,
  sentence,
  words,
} from "./tree.ts";

/** `to-do`; `planned` for a run, whatever came of it; `repair`: what apply would do about a drift. */
export type PlanStanding = "to-do" | "planned" | "repair";

export interface ChangeContext {
  readonly plan: Plan;
  readonly privileged: RoleSet;
  readonly readings: ReadSummary["readings"] | undefined;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown: ReadSummary["privileges"];
  readonly run: RunSummary | undefined;
}

/** What a plan changes, team by team, then people and keys outside of teams. A person stands in each team in which they change. */
export function changesSection(title: string, context: ChangeContext): Section {
  const { plan } = context;
  const placements = accessChanges(plan).flatMap(placementsOf);
  const byTeam = multimap(placements.map((placement) => [placement.team, placement]));
  const teams = teamsOfPlan(plan);
  const groups = teams.flatMap((team) => {
    const people = byTeam.get(team.team);
    return people === undefined ? [] : [teamGroup(team, people, context)];
  });
  const outside = byTeam.get(undefined);
  if (outside === undefined) return part(words(title), groups);
  const where = teams.length === 0 ? "People and keys" : "People and keys outside these teams";
  const counts = `${formatHolderCount(outside)}, ${formatCallCount(actionsOf(outside, plan))}`;
  const rest = { ...peopleGroup(outside, context), title: [inked("strong", where), ...words(`: ${counts}`)] };
  return part(words(title), [...groups, rest]);
}

interface Placement extends PersonAccess {
  readonly team: TeamKey | undefined;
}

/** The creation of a person stands in the team that it creates, else in their first team. */
function placementsOf({ who, changes }: PersonAccess): readonly Placement[] {
  const first = changes.flatMap((change) => teamOf(change) ?? [])[0];
  const createdTeam = new Map(
    changes.flatMap((change) => (change.is === "membership" ? [[change.action, change.team] as const] : [])),
  );
  const placeOf = (change: AccessChange) => {
    const isNewKey = change.is === "roles" && change.key.of === "own-key" && change.before.known === "new-key";
    return change.is === "account" || isNewKey ? (createdTeam.get(change.action) ?? first) : teamOf(change);
  };
  const byTeam = multimap(changes.map((change) => [placeOf(change), change]));
  return [...byTeam].map(([team, own]) => ({ team, who, changes: own }));
}

function teamOf(change: AccessChange): TeamKey | undefined {
  if (change.is === "membership") return change.team;
  return change.is === "roles" && change.key.of === "team-key" ? change.key.team : undefined;
}

function actionsOf(people: readonly Placement[], plan: Plan): readonly Action[] {
  const ids = new Set(people.flatMap(({ changes }) => changes.map(({ action }) => action)));
  return [...ids].flatMap((id) => planNames(plan).action(id) ?? []);
}

function teamGroup(
  { team, name, account, identifier }: ActionTeam,
  people: readonly Placement[],
  context: ChangeContext,
): Entries {
  const { plan } = context;
  const actions = actionsOf(people, plan);
  const additions = actions.flatMap((action) => (action.kind === "add-members" ? [action] : []));
  const mails = additions.reduce((sum, { members }) => sum + members.length, 0);
  const [admin] = actions.flatMap((action) =>
    action.kind === "create-user" && action.createsTeam?.team === team
      ? [action.createsTeam.admin ?? action.address]
      : [],
  );
  const known = identifier ?? "identifier unknown";
  const state = admin === undefined ? known : `new, admin ${planNames(plan).email(admin)}`;
  const counts = [formatHolderCount(people), formatCallCount(actions), ...formatCounts([mails, "mail"])];
  const title = planNames(plan).severalAccounts ? `${name} of ${account}` : name;
  const group = peopleGroup(people, context);
  return {
    ...group,
    title: [inked("strong", `Team ${title}`), ` (${state}): ${counts.join(", ")}`],
    notes: [...group.notes, ...unreadFacts(additions.flatMap(({ restsOn }) => restsOn))],
  };
}

/** What the roster says of whose they are stands above them where it is the same of all. */
function peopleGroup(people: readonly Placement[], context: ChangeContext): Entries {
  const owners = people.map((one) => ownershipOf(one, context.plan));
  const [first, ...others] = owners;
  const common = others
    .map((one) => withoutCommon(first, one))
    .reduce<Ownership | undefined>((left, rest) => withoutCommon(left, rest), first);
  const entries = people.map((one, index) => personEntry(one, withoutCommon(owners[index], common), context));
  return { kind: "entries", as: "changes", notes: ownershipNotes(common), entries };
}

/** What is said of the membership counts before what is said of the user, who may come with it. */
function ownershipOf({ who, changes }: Placement, plan: Plan): Ownership | undefined {
  const actions = changes.flatMap(({ action }) => planNames(plan).action(action) ?? []);
  const creations = actions.filter(({ kind }) => kind === "create-user");
  const inOrder = [...actions.filter((action) => !creations.includes(action)), ...creations];
  const person = who.is === "person" ? who.address : undefined;
  return mergeOwnership(...inOrder.map((action) => ownershipOfPart(action, person)));
}

/** A person on one line: who, what happens, and where the YAML asks for it; then what else has to be known. */
function personEntry(placement: Placement, whose: Ownership | undefined, context: ChangeContext): Entry {
  const { plan, privileged, readings, run } = context;
  const { who, changes } = placement;
  const ids = [...new Set(changes.map(({ action }) => action))];
  const own = actionsOf([placement], plan).filter(({ kind }) => kind !== "add-members");
  const person = who.is === "person" ? who.address : undefined;
  const isPrivileged = changes.some((change) => isPrivilegedChange(change, privileged));
  const isLeaver = changes.some(({ rule }) => rule === "leaver-roles-removed");
  const retries = ids.reduce((sum, id) => sum + (run?.retries.get(id) ?? 0), 0);
  const retried = `Retried ${formatCount(retries, "time")}: the service did not accept the call at once.`;
  const mark = changeMark(changes);
  // The first place of each call, each once.
  const places = new Map(changes.flatMap(({ because: [place] }) => (place ? [[formatPlace(place), place]] : [])));
  return {
    mark,
    ink: isPrivileged ? "alarm" : markInks[mark],
    about: [...holderName(who), ...(isLeaver ? words(" (leaver)") : [])],
    what: changePieces(placement, context),
    place: formatPlaces([...places.values()]),
    notes: [...ownershipNotes(whose), ...unreadFacts(own.flatMap(additionalFacts))],
    labels: [
      ...(isPrivileged ? ["privileged"] : []),
      ...(run === undefined ? [] : [formatPartResult(run, ids, person)]),
      ...(retries === 0 ? [] : ["retried"]),
    ],
    details: () => [...(retries === 0 ? [] : [sentence(retried)]), ...whyActions(ids, person, { plan, readings })],
    actions: ids,
  };
}

/** `+` adds only, `-` removes only, `~` does both, or the roles before are unknown. */
function changeMark(changes: readonly AccessChange[]): Mark {
  const roles = changes.flatMap((change) => (change.is === "roles" ? [change] : []));
  if (roles.some(({ before }) => before.known === "unknown")) return "~";
  const loses = roles.some((change) => change.loses.length > 0);
  const gains = changes.some((change) => change.is !== "roles" || change.gains.length > 0);
  if (loses && gains) return "~";
  return loses ? "-" : "+";
}

function changePieces({ who, changes, team }: Placement, { plan, privileged }: ChangeContext): readonly Piece[] {
  // What the service gives a new person's own key is the same for everybody, and no line of the plan is about it.
  const shown = changes.filter(
    (change) => !(change.is === "roles" && change.key.of === "own-key" && change.after === "whatever-comes"),
  );
  const pieceOf = (change: AccessChange): readonly Piece[] => {
    if (change.is === "account") return [team === undefined ? `new in ${change.account}` : "new"];
    if (change.is === "membership") return [change.how === "first-member" ? "creates the team" : "invited by mail"];
    const isClear = who.is === "key" || (team !== undefined && change.key.of === "team-key");
    return [
      ...(isClear ? [] : [`${formatChangedKey(change.key, planNames(plan))} `]),
      ...rolePieces(change, privileged),
    ];
  };
  return shown.flatMap((change, index) => {
    const isNextKey = change.is === "roles" && shown[index - 1]?.is === "roles";
    return [...(index === 0 ? [] : [isNextKey ? "; " : ", "]), ...pieceOf(change)];
  });
}

/**
 * The roles of a key one by one, privileged roles first: `-ACCOUNT_ADMIN +TEAM_ROLE, keeps DEVELOPER`, or
 * `exactly DEVELOPER` where the roles before are not known or there were none.
 */
function rolePieces(change: RoleChange, privileged: RoleSet): readonly Piece[] {
  const { before, after, gains, loses, keeps, forAMoment } = change;
  const brief: readonly Piece[] =
    forAMoment.length === 0 ? [] : [inked("alarm", `${forAMoment.join(", ")} for a short time`), ", then "];
  if (after === "whatever-comes") return [...brief, "roles chosen by the service"];
  if (before.known === "new-key" || before.known === "unknown") {
    const roles = gains.length === 0 ? ["no roles"] : signedRoles(gains, "", undefined, privileged);
    const source = before.known === "unknown" ? [inked("dim", ` (${formatBefore(before)})`)] : [];
    const list = joinPieces(roles, ", ");
    return [
      ...brief,
      ...(after === "exactly" ? ["exactly ", ...list] : [...list, " and roles that the service adds"]),
      ...source,
    ];
  }
  const signed = [...signedRoles(loses, "-", "remove", privileged), ...signedRoles(gains, "+", "add", privileged)];
  const isAlarm = (piece: Piece) => typeof piece !== "string" && piece.ink === "alarm";
  const changes = joinPieces([...signed.filter(isAlarm), ...signed.filter((piece) => !isAlarm(piece))], " ");
  const rest = keeps.length > 0 ? `keeps ${keeps.join(", ")}` : gains.length === 0 ? "no roles left" : "";
  const between = changes.length === 0 || rest === "" ? "" : ", ";
  const source = before.known === "observed" ? "" : ` (${formatBefore(before)})`;
  return [...brief, ...changes, between, inked("dim", `${rest}${source}`)];
}

function signedRoles(roles: RoleSet, sign: string, usual: Ink | undefined, privileged: RoleSet): readonly Piece[] {
  const isPrivileged = (role: string) => privileged.includes(role);
  return [
    ...roles.filter(isPrivileged).map((role) => inked("alarm", `${sign}${role} (privileged)`)),
    ...roles.filter((role) => !isPrivileged(role)).map((role) => inked(usual, `${sign}${role}`)),
  ];
}

function joinPieces(pieces: readonly Piece[], between: string): readonly Piece[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece]));
}

function formatPartResult(run: RunSummary, actions: readonly ActionId[], person: EmailKey | undefined): string {
  const outcomes = actions.map((id) => run.outcomes.get(id));
  const ends = new Set(outcomes.map((outcome) => outcome?.is));
  const worst = (["failed", "unknown", "stale", "skipped"] as const).find((is) => ends.has(is));
  if (worst !== undefined) return worst === "unknown" ? "unknown outcome" : worst;
  const refused = outcomes.flatMap((outcome) => (outcome === undefined ? [] : refusedMembers(outcome)));
  if (refused.some(({ address }) => address === person)) return "refused";
  if (ends.has(undefined)) return "not started";
  return ends.has("succeeded") ? "done" : "unchanged";
}

/** `ada@acme.example (Ada Lovelace)`; the name only of a person that the plan creates. */
export function holderName(who: AccessHolder): Inline {
  if (who.is === "key") return phrase`key ${who.prefix}`;
  return who.name === undefined ? phrase`${who.email}` : phrase`${who.email} (${who.name})`;
}

function formatHolderCount(holders: readonly Pick<PersonAccess, "who">[]): string {
  const keys = holders.filter(({ who }) => who.is === "key").length;
  return formatCounts([holders.length - keys, "person", "people"], [keys, "key"]).join(", ");
}

/** `key in Data Science (12pref1x121)`, `own key`, `key 12pref1x121`. */
export function formatChangedKey(key: ChangedKey, names: PlanNames): string {
  if (key.of === "key") return `key ${key.prefix}`;
  const prefix = key.prefix === undefined ? "" : ` (${key.prefix})`;
  return `${key.of === "own-key" ? "own key" : `key in ${names.teamInFull(key.team)}`}${prefix}`;
}
