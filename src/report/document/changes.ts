import { formatCount, joinList } from "../../codes/message.ts";
import { type RunSummary, refusedMembers } from "../../log/summary.ts";
import {
  type Action,
  creationId,
  giverOf,
  ownershipOfPart,
  prefixOf,
  type ReplaceRoles,
  teamOf,
} from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { type Group, groupBy, multimap } from "../../model/collections.ts";
import { type Fact, factValue, formatPlace, type Reason } from "../../model/fact.ts";
import type { PrivilegedKey } from "../../model/key.ts";
import type { Plan } from "../../model/plan.ts";
import type { Ownership, TeamKey } from "../../model/recorded.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { createdByThisPlan, mergeOwnership, withoutCommon } from "../../model/subject.ts";
import { formatCounts } from "../phrases.ts";
import {
  type ActionTeam,
  additionalFacts,
  formatBefore,
  formatCallCount,
  formatPlaces,
  onceOfEach,
  ownershipNotes,
  type PlanNames,
  planNames,
  teamsOfPlan,
  unreadFacts,
  whyActions,
} from "./actions.ts";
import {
  type Entries,
  type Entry,
  entry,
  type Ink,
  type Inline,
  inked,
  joinInline,
  listInline,
  type Mark,
  markInks,
  type Paragraph,
  type Piece,
  paragraph,
  part,
  phrase,
  type Section,
  section,
  sentence,
  strong,
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

interface Origin {
  /** The call by which it happens. */
  readonly action: Action;
  /** Absent where the plan does not name the owner of the key. */
  readonly address?: EmailKey | undefined;
  /** Of a member, or of a team key. */
  readonly team?: TeamKey | undefined;
  /** The lines that ask for it, the first for the most. */
  readonly because: readonly Reason[];
}

/** What a call does to one person or key. `first-member`: they are created together with the team, and no mail is sent. */
export type Change = (Origin & { readonly is: "account" | "first-member" | "added" }) | RoleChange;

/** The roles of a key change, or it comes with roles. */
interface RoleChange extends Origin {
  readonly is: "roles";
  readonly of: "team-key" | "own-key" | "key";
  readonly prefix?: string | undefined;
  /** `new-key`: it comes with this plan. */
  readonly before: Fact<RoleSet> | { readonly known: "new-key" };
  /** What it has afterwards and had not, or may not have had, before. */
  readonly gains: RoleSet;
  /** What it is known to have had, and has no more. */
  readonly loses: RoleSet;
  readonly keeps: RoleSet;
  /** Privileged roles that it carries until it is made exact. */
  readonly temporary: RoleSet;
  /** `at-least`: the service may add to it. `whatever-comes`: the roster asks for none, and the service decides. */
  readonly after: "exactly" | "at-least" | "whatever-comes";
}

/** Accounts, memberships and roles of keys: what a plan changes of each person, in the order of its calls. */
export const planChanges = onceOfEach((plan: Plan): readonly Change[] => {
  const exact = new Set(
    plan.actions.flatMap((one) => (one.kind === "replace-roles" ? [newKeyId(one.key.address, teamOf(one))] : [])),
  );
  return plan.actions.flatMap((action) => changesBy(action, planNames(plan), exact));
});

/** A key that comes with a call: in a team, or a person's own. */
function newKeyId(address: EmailKey | undefined, team: TeamKey | undefined): string {
  return `${team ?? ""} ${address}`;
}

const newKey = { is: "roles", before: { known: "new-key" }, gains: [], loses: [], keeps: [], temporary: [] } as const;

/** `exact`: new keys that another call makes exact. */
function changesBy(action: Action, names: PlanNames, exact: ReadonlySet<string>): readonly Change[] {
  const { because } = action;
  switch (action.kind) {
    case "create-user": {
      const { address, createsTeam } = action;
      const origin = { action, address, because };
      const team = createsTeam?.team;
      const created = { ...origin, is: "account" } as const;
      const joins = { ...origin, is: "first-member", team } as const;
      const changes = team === undefined ? [created] : [created, joins];
      if (exact.has(newKeyId(address, team))) return changes;
      if (createsTeam === undefined)
        return [...changes, { ...origin, ...newKey, of: "own-key", after: "whatever-comes" }];
      // The service may give it more than was asked for.
      const { accessKeyRoles: gains, temporaryRoles } = createsTeam;
      const temporary = rolesWithout(temporaryRoles, gains);
      return [...changes, { ...origin, ...newKey, of: "team-key", team, gains, temporary, after: "at-least" }];
    }
    case "add-members": {
      const { team, members } = action;
      const reasons = groupBy(because, (reason) => reason.person);
      return members.flatMap(({ address }): readonly Change[] => {
        const origin = { action, address, team, because: reasons.get(address) ?? because };
        const joins = { ...origin, is: "added" } as const;
        const comes = { ...origin, ...newKey, of: "team-key", after: "whatever-comes" } as const;
        return exact.has(newKeyId(address, team)) ? [joins] : [joins, comes];
      });
    }
    case "replace-roles":
      return [changeByReplacement(action, names)];
  }
}

function changeByReplacement(action: ReplaceRoles, names: PlanNames): RoleChange {
  const { key, before, roles, because } = action;
  const had = factValue(before) ?? [];
  const team = teamOf(action);
  const isNew = key.of !== "prefix" || (before.known === "unknown" && before.why === createdByThisPlan);
  const isOwn = key.of === "own-key" || because.some(({ as }) => as === "own-key-roles");
  const giver = key.of === "team-key" ? names.action(giverOf(action) ?? "") : undefined;
  const carried = giver?.kind === "create-user" ? giver.createsTeam?.temporaryRoles : undefined;
  return {
    is: "roles",
    action,
    address: key.address,
    team,
    because,
    of: team !== undefined ? "team-key" : isOwn || (key.of === "prefix" && key.own === true) ? "own-key" : "key",
    prefix: prefixOf(action),
    before: isNew ? { known: "new-key" } : before,
    gains: rolesWithout(roles, had),
    loses: rolesWithout(had, roles),
    keeps: roles.filter((role) => had.includes(role)),
    temporary: rolesWithout(carried ?? [], roles),
    after: "exactly",
  };
}

/** What of a change is about privileged roles. */
export function privilegedPart(
  change: Change,
  privileged: RoleSet,
): Pick<RoleChange, "gains" | "loses" | "temporary" | "before"> {
  if (change.is !== "roles") return { gains: [], loses: [], temporary: [], before: { known: "new-key" } };
  const of = (roles: RoleSet) => roles.filter((role) => privileged.includes(role));
  // The plan has decided already that what a key has for a short time is privileged.
  return { ...change, gains: of(change.gains), loses: of(change.loses) };
}

export function isPrivilegedChange(change: Change, privileged: RoleSet): boolean {
  const { gains, loses, temporary } = privilegedPart(change, privileged);
  return gains.length + loses.length + temporary.length > 0;
}

/** The changes of each person, and of each key whose owner the plan does not name. */
function byHolder(plan: Plan): readonly Group<Change>[] {
  const groups = groupBy(planChanges(plan), ({ address, action }) => address ?? `key ${prefixOfKey(action)}`);
  return [...groups.values()];
}

function prefixOfKey(action: Action): string {
  return (action.kind === "replace-roles" ? prefixOf(action) : undefined) ?? action.id;
}

/** `ada@acme.example (Ada Lovelace)`; the name only of a person that the plan creates. */
function holderName({ address, action }: Change, names: PlanNames): Inline {
  if (address === undefined) return phrase`key ${prefixOfKey(action)}`;
  const creation = names.action(creationId(address));
  const email = names.email(address);
  if (creation?.kind !== "create-user") return phrase`${email}`;
  return phrase`${email} (${`${creation.user.firstName} ${creation.user.lastName}`})`;
}

/** `key in Data Science (12pref1x121)`, `own key`, `key 12pref1x121`. */
function formatKey({ of, team, prefix }: RoleChange, names: PlanNames): string {
  if (of === "key") return `key ${prefix ?? "prefix not known"}`;
  const name = of === "own-key" || team === undefined ? "own key" : `key in ${names.teamInFull(team)}`;
  return prefix === undefined ? name : `${name} (${prefix})`;
}

/** What a plan changes, team by team, then people and keys outside of teams. A person stands in each team in which they change. */
export function changesSection(title: string, context: ChangeContext): Section {
  const { plan } = context;
  const placements = byHolder(plan).flatMap(placementsOf);
  const byTeam = multimap(placements.map((one) => [one.team, one]));
  const teams = teamsOfPlan(plan);
  const groups = teams.flatMap((team) => {
    const people = byTeam.get(team.team);
    return people === undefined ? [] : [teamGroup(team, people, context)];
  });
  const outside = byTeam.get(undefined);
  if (outside === undefined) return part(words(title), groups);
  const where = teams.length === 0 ? "People and keys" : "People and keys outside these teams";
  const counts = `${formatHolders(outside)}, ${formatCallCount(actionsOf(outside))}`;
  const rest = { ...peopleGroup(outside, context), title: [inked("strong", where), ...words(`: ${counts}`)] };
  return part(words(title), [...groups, rest]);
}

/** What changes of one person or key in one team, or outside of teams. */
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
  return [...multimap(changes.map((change) => [placeOf(change), change]))].map(([team, own]) => ({
    team,
    changes: own,
  }));
}

function actionsOf(people: readonly Placement[]): readonly Action[] {
  return [...new Set(people.flatMap(({ changes }) => changes.map(({ action }) => action)))];
}

function teamGroup(
  { team, name, account, identifier }: ActionTeam,
  people: readonly Placement[],
  context: ChangeContext,
): Entries {
  const names = planNames(context.plan);
  const actions = actionsOf(people);
  const additions = actions.filter((action) => action.kind === "add-members");
  const mails = additions.reduce((sum, { members }) => sum + members.length, 0);
  const creation = actions.find((one) => one.kind === "create-user" && one.createsTeam?.team === team);
  const isNew = creation?.kind === "create-user";
  const admin = isNew ? names.email(creation.createsTeam?.admin ?? creation.address) : "";
  const state = isNew ? `new, admin ${admin}` : (identifier ?? "identifier unknown");
  const counts = [formatHolders(people), formatCallCount(actions), ...formatCounts([mails, "mail"])];
  const group = peopleGroup(people, context);
  return {
    ...group,
    title: [
      inked("strong", `Team ${names.severalAccounts ? `${name} of ${account}` : name}`),
      ` (${state}): ${counts.join(", ")}`,
    ],
    notes: [...group.notes, ...unreadFacts(additions.flatMap(({ restsOn }) => restsOn))],
  };
}

/** What the roster says of whose they are stands above them where it is the same of all. */
function peopleGroup(people: readonly Placement[], context: ChangeContext): Entries {
  const owners = people.map(ownershipOf);
  const [first, ...others] = owners;
  const common = others
    .map((one) => withoutCommon(first, one))
    .reduce<Ownership | undefined>((left, rest) => withoutCommon(left, rest), first);
  const entries = people.map((one, index) => personEntry(one, withoutCommon(owners[index], common), context));
  return { kind: "entries", as: "changes", notes: ownershipNotes(common), entries };
}

/** What is said of the membership counts before what is said of the user, who may come with it. */
function ownershipOf(placement: Placement): Ownership | undefined {
  const actions = actionsOf([placement]);
  const creations = actions.filter(({ kind }) => kind === "create-user");
  const inOrder = [...actions.filter((action) => !creations.includes(action)), ...creations];
  return mergeOwnership(...inOrder.map((action) => ownershipOfPart(action, placement.changes[0].address)));
}

/** A person on one line: who, what happens, and where the YAML asks for it; then what else has to be known. */
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
    ink: isPrivileged ? "alarm" : markInks[mark],
    about: [...holderName(changes[0], planNames(plan)), ...(isLeaver ? words(" (leaver)") : [])],
    what: changePieces(placement, context),
    place: formatPlaces([...places.values()]),
    notes: [...ownershipNotes(whose), ...unreadFacts(own.flatMap(additionalFacts))],
    labels: [
      ...(isPrivileged ? ["privileged"] : []),
      ...(run === undefined ? [] : [formatPartResult(run, actions, address)]),
      ...(retries === 0 ? [] : ["retried"]),
    ],
    details: () => [...(retries === 0 ? [] : [sentence(retried)]), ...whyActions(actions, address, context)],
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
      const does = { account: `new${account}`, "first-member": "creates the team", added: "invited by mail" };
      return [...between, does[change.is]];
    }
    const isClear = change.address === undefined || (team !== undefined && change.of === "team-key");
    const key = isClear ? [] : [`${formatKey(change, planNames(plan))} `];
    return [...between, ...key, ...rolePieces(change, privileged)];
  });
}

/**
 * The roles of a key one by one, privileged roles first: `-ACCOUNT_ADMIN +TEAM_ROLE, keeps DEVELOPER`, or
 * `exactly DEVELOPER` where the roles before are not known or there were none.
 */
function rolePieces(change: RoleChange, privileged: RoleSet): readonly Piece[] {
  const { before, after, gains, loses, keeps, temporary } = change;
  const brief: readonly Piece[] =
    temporary.length === 0 ? [] : [inked("alarm", `${temporary.join(", ")} for a short time`), ", then "];
  if (after === "whatever-comes") return [...brief, "roles chosen by the service"];
  if (before.known === "new-key" || before.known === "unknown") {
    const roles = joinPieces(gains.length === 0 ? ["no roles"] : signedRoles(gains, "", undefined, privileged), ", ");
    const source = before.known === "unknown" ? [inked("dim", ` (${formatBefore(before)})`)] : [];
    const list = after === "exactly" ? ["exactly ", ...roles] : [...roles, " and roles that the service adds"];
    return [...brief, ...list, ...source];
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

function formatPartResult(run: RunSummary, actions: readonly Action[], person: EmailKey | undefined): string {
  const outcomes = actions.map(({ id }) => run.outcomes.get(id));
  const ends = new Set(outcomes.map((outcome) => outcome?.is));
  const worst = (["failed", "unknown", "stale", "skipped"] as const).find((is) => ends.has(is));
  if (worst !== undefined) return worst === "unknown" ? "unknown outcome" : worst;
  const refused = outcomes.flatMap((outcome) => (outcome === undefined ? [] : refusedMembers(outcome)));
  if (refused.some(({ address }) => address === person)) return "refused";
  if (ends.has(undefined)) return "not started";
  return ends.has("succeeded") ? "done" : "unchanged";
}

function formatHolders(holders: readonly Placement[]): string {
  const keys = holders.filter(({ changes }) => changes[0].address === undefined).length;
  return formatCounts([holders.length - keys, "person", "people"], [keys, "key"]).join(", ");
}

/** Who gains and loses privileged roles by a plan: an entry for each key, none of them ever folded. */
export function privilegeSection(title: string, context: ChangeContext): Section {
  const { plan, privileged, shown } = context;
  // Who gains a privileged role comes first, then who has one for a short time, then who loses one.
  const kinds = ["gains", "temporary", "loses"] as const;
  const people = groupBy(byHolder(plan), (changes) =>
    kinds.find((kind) => changes.some((change) => privilegedPart(change, privileged)[kind].length > 0)),
  );
  const changes = kinds.flatMap((kind) => people.get(kind) ?? []).flat();
  const left = remaining(shown ?? [], plan);
  const entries = changes.flatMap((change) =>
    isPrivilegedChange(change, privileged) ? [privilegeEntry(change, left, context)] : [],
  );
  const unknown = sentence("A saved plan does not show other keys of the same users.", "dim");
  return section(title, entries, { notes: shown === undefined ? [unknown] : [] });
}

function privilegeEntry(change: Change, left: readonly PrivilegedKey[], context: ChangeContext): Entry {
  const { plan, privileged, shown = [] } = context;
  const names = planNames(plan);
  const { action, address, because } = change;
  const { gains, loses, temporary, before } = privilegedPart(change, privileged);
  const rolesOf = (roles: RoleSet) =>
    joinInline(
      roles.map((role) => [inked("alarm", role)]),
      ", ",
    );
  // A key whose roles were not shown may have had it before.
  const gain = words(before.known === "unknown" ? "gets (before unknown)" : "gains");
  const parts = [
    gains.length === 0 ? [] : phrase`${gain} ${rolesOf(gains)}`,
    temporary.length === 0 ? [] : phrase`has ${rolesOf(temporary)} for a short time`,
    loses.length === 0 ? [] : phrase`loses ${rolesOf(loses)}`,
  ];
  const where = address === undefined || change.is !== "roles" ? [] : phrase` on the ${[formatKey(change, names)]}`;
  const already = otherKeys("already has it", address, shown, gains);
  const still = otherKeys("still has it", address, left, loses);
  return entry([...joinInline(parts, " and "), ...where, ...already, ...still], {
    mark: loses.length === 0 ? "+" : gains.length + temporary.length === 0 ? "-" : "~",
    ink: "alarm",
    about: holderName(change, names),
    place: formatPlaces(because.slice(0, 1)),
    labels: ["privileged"],
    details: () => whyActions([action], address, context),
    actions: [action.id],
  });
}

/** The privileged roles that a plan leaves on the keys that were shown. */
function remaining(shown: readonly PrivilegedKey[], plan: Plan): readonly PrivilegedKey[] {
  if (shown.length === 0) return shown;
  const lost = new Map(planChanges(plan).flatMap((one) => (one.is === "roles" ? [[one.prefix, one.loses]] : [])));
  return shown.flatMap((one) => {
    const roles = rolesWithout(one.roles, lost.get(one.prefix) ?? []);
    return roles.length === 0 ? [] : [{ ...one, roles }];
  });
}

/** `, and still has it on the key in Ops (p1)`: other keys of the same person that carry one of these roles. */
function otherKeys(
  verb: string,
  address: EmailKey | undefined,
  known: readonly PrivilegedKey[],
  roles: RoleSet,
): Inline {
  const keys = known.filter((one) => one.address === address && one.roles.some((role) => roles.includes(role)));
  if (address === undefined || keys.length === 0) return [];
  const places = keys
    .slice(0, 3)
    .map(({ team, prefix }) =>
      team === undefined ? phrase`the key ${prefix}` : phrase`the key in ${team} (${prefix})`,
    );
  const more = keys.length > 3 ? [words(`${keys.length - 3} more keys`)] : [];
  return phrase`, and ${strong(words(verb))} on ${listInline([...places, ...more])}`;
}

/** On how many keys a plan adds a privileged role, leaves one for a short time, or removes one; nothing where on none. */
export function privilegeSummary(plan: Plan, privileged: RoleSet, is: PlanStanding): readonly Paragraph[] {
  const all = planChanges(plan).map((change) => privilegedPart(change, privileged));
  const added = all.filter(({ gains }) => gains.length > 0);
  const unsure = added.filter(({ before }) => before.known === "unknown").length;
  const brief = all.filter(({ temporary }) => temporary.length > 0).length;
  const removed = all.filter(({ loses }) => loses.length > 0).length;
  const keys = (count: number) => formatCount(count, "key");
  const parts = [
    ...(added.length === unsure ? [] : [["add", `to ${keys(added.length - unsure)}`]]),
    ...(unsure === 0 ? [] : [["set", `on ${keys(unsure)} that may have them already`]]),
    ...(brief === 0 ? [] : [["give", `to ${keys(brief)} for a short time`]]),
    ...(removed === 0 ? [] : [["remove", `from ${keys(removed)}`]]),
  ];
  if (parts.length === 0) return [];
  const which = (index: number) => (is !== "repair" ? "" : index === 0 ? " privileged roles" : " them");
  const lead = { "to-do": "Privileged roles:", planned: "Privileged roles, as planned:", repair: "apply would" }[is];
  const text = joinList(parts.map(([verb, where], index) => `${verb}${which(index)} ${where}`));
  return [paragraph([inked("alarm", `${lead} ${text}.`)])];
}
