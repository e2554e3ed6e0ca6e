import type { PlanningEvent } from "../../codec/plan-file-format.ts";
import { formatCount, truncateList } from "../../codes/message.ts";
import type { RunSummary } from "../../log/summary.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy, multimap } from "../../model/collections.ts";
import type { Basis, Fact, Place, ReadName, Reason, ReasonKind } from "../../model/fact.ts";
import {
  createdByThisPlan,
  distinctReasons,
  factValue,
  formatPlace,
  formatSubject,
  unknown,
  withoutCommon,
} from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { Action, ActionId, Plan, ReplaceRoles } from "../../model/plan.ts";
import { creationId, giverOf, prefixOf, teamOf } from "../../model/plan.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { type Ownership, type RoleSet, rolesWithout, type TeamKey } from "../../model/values.ts";
import * as text from "./names.ts";
import * as t from "./tree.ts";

export function actionEntry(action: Action, names: text.PlanNames): t.Entry {
  const mark = action.kind === "replace-roles" ? "~" : "+";
  const memberNotes = (action.kind === "add-members" ? action.members : []).flatMap(({ address, ownership }) =>
    ownershipNotes(withoutCommon(ownership, action.ownership), `${names.email(address)}: `),
  );
  return t.entry([`${text.actionName(action, names)}${titleDetails(action, names)}`], {
    mark,
    ink: t.markInks[mark],
    place: formatPlaces(action.because),
    actions: [action.id],
    notes: [
      ...changeBlocks(action, names),
      ...ownershipNotes(action.ownership),
      ...memberNotes,
      ...unreadFacts([action]),
    ],
  });
}

function titleDetails(action: Action, names: text.PlanNames): string {
  if (action.kind === "create-user") return ` (${action.user.firstName} ${action.user.lastName}) in ${action.account}`;
  if (action.kind === "replace-roles") return "";
  const which = action.firstMember === undefined ? (names.identifier(action.team) ?? "identifier unknown") : "new";
  const aside = names.teamInFull(action.team).includes(`(${which})`) ? "" : ` (${which})`;
  return `${aside}, ${formatCount(action.members.length, "mail")}`;
}

export function formatPlaces(places: readonly Place[]): string | undefined {
  return places[0] && formatPlace(places[0]);
}

export function changeBlocks(action: Action, names: text.PlanNames): readonly t.Block[] {
  if (action.kind === "replace-roles") return [t.paragraph(rolePieces(changeByReplacement(action, names)))];
  if (action.kind === "create-user") {
    const { user, createsTeam } = action;
    if (createsTeam === undefined) return [];
    const { name, admin, accessKeyRoles, temporaryRoles } = createsTeam;
    const by = admin === undefined ? user.email : names.email(admin);
    const brief = `! ${user.email} has ${temporaryRoles.join(", ")} for a short time, until the next call replaces the roles`;
    return [
      t.sentence(`This also creates team ${name}, with ${by} as its admin.`),
      t.sentence(`${user.email}'s key in ${name} gets ${accessKeyRoles.join(", ")}.`),
      ...(temporaryRoles.length === 0 ? [] : [t.sentence(brief, "alarm")]),
    ];
  }
  const isNew = (address: EmailKey) => names.action(creationId(address)) !== undefined;
  const members = action.members.map(({ address }) => `${names.email(address)}${isNew(address) ? " (new)" : ""}`);
  return [t.sentence(members.join(", "))];
}

function formatFact(fact: Basis): string {
  const { about } = fact;
  const who = about.kind === "member" ? `${about.address} in team ${about.team}` : formatSubject(about);
  if (fact.known === "unknown") return `${who}: ${fact.why}`;
  // What is recorded may be so no more.
  if (fact.known === "recorded")
    return fact.value === "present" ? `${who} was in the service at ${fact.at}` : `${who}: ${fact.value} at ${fact.at}`;
  if (fact.value === "absent") return about.kind === "member" ? `${who}: not a member` : `no ${who}`;
  return fact.value.startsWith("present") ? `${who} exists${fact.value.slice(7)}` : `${who}: ${fact.value}`;
}

/**
 * The facts of actions that were not read in this run, each once: an action that rests on them rests on a record, on the roster or on
 * nothing. The roles that a key had before are shown with what the action does.
 */
export function unreadFacts(actions: readonly Action[]): readonly t.Paragraph[] {
  const unread = actions.flatMap(({ kind, restsOn }) =>
    restsOn.filter((fact) => {
      const { about } = fact;
      if (kind === "replace-roles" && about.kind === "part" && about.part === "roles") return false;
      // What an entry says of its own user stands at the right, as its place.
      if (fact.known === "declared") return about.kind !== "user";
      return fact.known === "recorded" || (fact.known === "unknown" && fact.why !== createdByThisPlan);
    }),
  );
  const sourced = (fact: Basis) =>
    fact.known === "declared" ? `${formatFact(fact)} (${text.formatSource(fact)})` : formatFact(fact);
  const facts = [...new Set(unread.map((fact) => (fact.known === "recorded" ? "the log says: " : "") + sourced(fact)))];
  const texts = text.firstOf(facts, 3, (more) => `and ${more} more facts that were not read`);
  return texts.map((text) => t.sentence(text, "dim"));
}

export function ownershipNotes(ownership: Ownership | undefined, before = ""): readonly t.Paragraph[] {
  const { owner, note } = ownership ?? {};
  const parts = text.present(owner && `contact: ${owner}`, note && `note in the roster: ${note}`);
  return parts.length === 0 ? [] : [t.sentence(`${before}${parts.join("; ")}`, "dim")];
}

export interface ReportContext extends Partial<Pick<ReadSummary, "readings">> {
  readonly plan?: Plan | undefined;
  readonly run?: RunSummary | undefined;
  /** Their names are in the colour of an alarm. */
  readonly privileged?: RoleSet | undefined;
}

type Caused = Pick<Action | Finding, "because" | "restsOn">;

export function reasonLines({ because, restsOn }: Caused, context: ReportContext): readonly t.Line[] {
  const { plan, run, readings = new Map() } = context;
  const shown = run === undefined ? "the service showed:" : "the service showed before the run:";
  const known = restsOn.filter((fact) => fact.known !== "unknown" || fact.why !== createdByThisPlan);
  const parts = multimap([
    ...reasonChainLines(because, text.namesOf(plan)).map((line) => [ofRoster, line] as const),
    ...known.map((fact) => {
      const place = fact.known === "declared" ? formatPlace(fact.place) : undefined;
      return [sourceHeading(fact, readings, shown), t.line(0, [formatFact(fact)], place)] as const;
    }),
  ]);
  return [...parts].flatMap(([heading, lines]) => {
    const shown = heading === ofRoster ? lines : text.firstOf(lines, 6, (more) => dimLine(`and ${more} more facts`));
    return [dimLine(heading), ...shown.map((one) => ({ ...one, indent: one.indent + 2 }))];
  });
}

const ofRoster = "in the roster:";

/** `shown`: of what a read showed that is not named. */
function sourceHeading(fact: Basis, readings: ReadSummary["readings"], shown: string): string {
  if (fact.known !== "observed")
    return { recorded: "in the log:", declared: ofRoster, unknown: "not known:" }[fact.known];
  const reading = readings.get(fact.by);
  if (reading !== undefined) return `the service showed at ${reading.at} (${reading.request}):`;
  return fact.by === "clock" ? "from the clock:" : shown;
}

/** Why a person or a thing changes: each line of the roster and each fact once. What is so for a whole file is no reason of theirs. */
export function whyLines(those: readonly Caused[], context: ReportContext): readonly t.Block[] {
  const because = distinctReasons(those.flatMap((one) => one.because)).filter(({ as }) => !ofFile.has(as));
  const facts = new Map(those.flatMap(({ restsOn }) => restsOn.map((one) => [formatFact(one), one])));
  return t.lines(reasonLines({ because, restsOn: [...facts.values()] }, context));
}

const ofFile: ReadonlySet<ReasonKind> = new Set(["defaults", "account", "settings-account"]);

function dimLine(text: string, indent = 0): t.Line {
  return t.line(indent, [t.inked("dim", text)]);
}

/** Of an addition what is one person's: their lines, their facts, and what they wait for. Any other action is whole. */
export function partOf(action: Action, person: EmailKey | undefined): Action {
  if (person === undefined || action.kind !== "add-members") return action;
  const { because, restsOn, dependsOn, firstMember = person } = action;
  const isOwn = (link: Reason) => link.as !== "group" && link.person === person;
  const groups = new Set(because.filter(isOwn).flatMap(({ as, name }) => (as === "group-member" ? [name] : [])));
  const needed = [firstMember, person].map(creationId);
  return {
    ...action,
    because: because.filter((link) =>
      link.as === "group" ? groups.has(link.name) : link.person === undefined || isOwn(link),
    ),
    restsOn: restsOn.filter(({ about }) => about.kind !== "member" || about.address === person),
    dependsOn: dependsOn.filter((id) => needed.includes(id)),
  };
}

/** One link a line; of many alike, the first few. What explains a link, and the people of a group, stand below it. */
export function reasonChainLines(chain: readonly Reason[], names: text.PlanNames, indent = 0): readonly t.Line[] {
  let run = 0;
  const placed = chain.map((link, index) => {
    if (link.as !== chain[index - 1]?.as) run += 1;
    return [link.as === "group" || link.as === "group-member" ? `group ${link.name}` : run, link] as const;
  });
  const alike = multimap(placed);
  return [...alike.values()].flatMap((links) => {
    const lines = links.map((link) =>
      t.line(indent + (nested.has(link.as) ? 2 : 0), [formatReason(link, names)], formatPlace(link)),
    );
    return text.firstOf(lines, 5, (more, next) => dimLine(`and ${more} more like these`, next.indent));
  });
}

function formatReason({ as, name = "", person }: Reason, names: text.PlanNames): string {
  const who = person === undefined ? "the person" : names.email(person);
  return Object.hasOwn(reasonTexts, as) ? reasonTexts[as](name, who) : as;
}

const nested: ReadonlySet<ReasonKind> = new Set(["group-member", "role-set", "known-prefix", "key-owner"]);

const reasonTexts: Readonly<Record<ReasonKind, (name: string, who: string) => string>> = {
  user: () => "the entry under `users`",
  "former-address": (name) => `\`previously\`: ${name}`,
  leaver: () => "the entry under `leavers`",
  from: (name) => `\`from\` ${name}: a user from that date`,
  until: (name) => `\`until\` ${name}: a leaver from that date`,
  team: (name) => `the team ${name}`,
  "team-roles": () => "the `roles` of the team",
  admin: (name) => `the \`admin\` of the new team: ${name}`,
  "first-member": (name) => `the \`firstMember\` of the team: ${name}`,
  "on-removal": () => "the team has `onRemoval: revoke`",
  member: (_, who) => `the member entry of ${who}`,
  group: (name) => `the team lists the group "${name}"`,
  "group-member": (_, who) => `the group lists ${who}`,
  "member-roles": (group) =>
    group === "" ? "the `roles` of the member entry" : `the \`roles\` that the team gives to the group "${group}"`,
  "role-set": (name) => `the role set "${name}"`,
  "own-key-roles": () => "the `ownKeyRoles` of the user",
  key: () => "the entry under `keys`",
  "key-owner": (name) => `its \`owner\`: ${name}`,
  "known-prefix": () => "the prefix is its `key`",
  defaults: (name) => `\`${name.replace(" ", ": ")}\` in the file's \`defaults\``,
  account: (name) => `the file's \`account\`: ${name}`,
  "settings-account": (name) => `the settings' account: ${name}`,
};

/** When each of these reads was, and what it asked: `read "search 1" at 2026-11-20T06:00:02.120Z: POST /api/accounting/users/search for 4 addresses`. */
export function readLines(names: readonly ReadName[], readings: ReadSummary["readings"]): readonly t.Line[] {
  return [...new Set(names)].flatMap((name) => {
    const reading = readings.get(name);
    return reading === undefined ? [] : [dimLine(`read "${name}" at ${reading.at}: ${reading.request}`)];
  });
}

export interface ExplainedAction {
  readonly action: Action;
  readonly person?: EmailKey | undefined;
  readonly neededBy: readonly ActionId[];
}

const dependentsOf = text.onceOfEach(({ actions }: Plan) =>
  multimap(actions.flatMap((action) => [...new Set(action.dependsOn)].map((id) => [id, action] as const))),
);

export function explainAction(action: Action, plan: Plan, person?: EmailKey): ExplainedAction {
  const needing = dependentsOf(plan).get(action.id) ?? [];
  const isNeeding = (one: Action) =>
    person === undefined || action.kind !== "add-members" || one.kind !== "replace-roles" || one.key.address === person;
  return { action, person, neededBy: needing.filter(isNeeding).map(({ id }) => id) };
}

export function whyEntry({ action, person }: ExplainedAction, context: ReportContext): t.Entry {
  const names = text.namesOf(context.plan);
  const own = partOf(action, person);
  const { dependsOn } = own;
  const entry = actionEntry({ ...action, restsOn: [] }, names);
  // All the people of an action are not listed for each of them.
  const others = action.kind === "add-members" && person !== undefined ? action.members.length - 1 : 0;
  const email = person && names.email(person);
  return {
    ...entry,
    what: others === 0 ? entry.what : [`invite ${email} to the team, in one call with ${formatCount(others, "other")}`],
    notes: text.present<t.Block>(
      ...(others === 0 ? entry.notes : []),
      t.sentence(`action: ${text.printedId(action.id)}`, "dim"),
      ...t.lines(reasonLines(own, context)),
      dependsOn.length > 0 && t.sentence(`runs after ${truncateList(dependsOn.map(text.printedId), 5)}`),
    ),
  };
}

/** Numbered in an order in which they can run. */
export function callsSection(plan: Plan): t.Section {
  const names = text.planNames(plan);
  const numbers = new Map(plan.actions.map(({ id }, index) => [id, index + 1]));
  const entries = plan.actions.map((action): t.Entry => {
    const before = [...new Set(action.dependsOn.flatMap((id) => numbers.get(id) ?? []))].sort((a, b) => a - b);
    const { what, notes, ...rest } = actionEntry(action, names);
    const after = before.length === 0 ? [] : [t.inked("dim", `, after ${formatRanges(before)}`)];
    const request = t.sentence(requestText(action, plan), "dim");
    // A new key gets the roles of its request.
    const isGiven = action.kind === "replace-roles" && changeByReplacement(action, names).before.known === "new-key";
    return {
      ...rest,
      what: [`${numbers.get(action.id)}. `, ...what, ...after],
      notes: [request, ...(isGiven ? [] : notes)],
    };
  });
  const title = t.words(`Calls in their order (${entries.length})`);
  const unsure = "If the service creates a key with the right roles, roster does not send the call that sets them.";
  const notes = plan.actions.every(text.isSure) ? [] : [t.sentence(unsure, "dim")];
  return t.part(title, entries.length === 0 ? [] : [...notes, { kind: "entries", as: "changes", notes: [], entries }]);
}

/** `calls 1, 4-9`: three and more in a row are a range. */
function formatRanges(numbers: readonly number[]): string {
  const runs = groupBy(numbers.entries(), ([index, number]) => number - index);
  const texts = [...runs.values()].map((run) => {
    const [first, ...rest] = run.map(([, number]) => number);
    return rest.length < 2 ? [first, ...rest].join(", ") : `${first}-${rest.at(-1)}`;
  });
  return `${numbers.length === 1 ? "call" : "calls"} ${texts.join(", ")}`;
}

/** What only the run learns stands in angle brackets. A service that takes no identifiers of people gets their addresses. */
function requestText(action: Action, plan: Plan): string {
  const names = text.planNames(plan);
  const personName = (address: EmailKey) => {
    const { email, identifier } = plan.users.get(address) ?? { email: address, identifier: unknown<string>("") };
    const isCreated = names.action(creationId(address)) !== undefined;
    return factValue(identifier) ?? (isCreated ? `<identifier of ${email}>` : email);
  };
  if (action.kind === "create-user") {
    const { email, firstName, lastName, title, externalIdentifier, source } = action.user;
    const { name = "", admin, accessKeyRoles } = action.createsTeam ?? {};
    const team = accessKeyRoles && { name, adminUserIdentifier: admin && personName(admin), accessKeyRoles };
    const body = { email, firstName, lastName, title, externalIdentifier, source, team };
    return `POST accounts/${action.account}/users ${JSON.stringify(body)}`;
  }
  if (action.kind === "add-members") {
    const team = names.identifier(action.team) ?? `<identifier of ${names.team(action.team)}>`;
    return `POST teams/${team}/members ${JSON.stringify(action.members.map(({ address }) => personName(address)))}`;
  }
  return `PUT access-keys/${prefixOf(action) ?? "<prefix of this key>"}/roles ${JSON.stringify(action.roles)}`;
}

/** Besides the calls. A saved plan is approved with all that its apply records. */
export function recordedSection({ actions }: Plan, lessons: readonly PlanningEvent[]): t.Section {
  const requests = actions.flatMap((action) => {
    const members = action.kind === "add-members" ? action.members : [];
    return [{ request: undefined, ...action }, ...members].flatMap(({ request }) => request ?? []);
  });
  const digests = `digests of the requests, as JSON: ${JSON.stringify(requests)}`;
  const records = lessons.map(({ type, ...lesson }) => `${lessonTitles[type]}, as JSON: ${JSON.stringify(lesson)}`);
  const all = text.present(...records, requests.length > 0 && digests).map((text) => t.sentence(text));
  return t.part(t.words("What apply records in the log, besides the calls"), all);
}

const lessonTitles: Readonly<Record<PlanningEvent["type"], string>> = {
  "roster-applied": "the users of this roster",
  "records-moved": "users and teams with new names",
  "epoch-started": "that the service starts anew: users, teams, members and keys of before are forgotten",
  "users-observed": "users and teams that roster found in the service",
  "service-learned": "what the API of the service can show",
};

interface Origin {
  readonly action: Action;
  /** Absent where the plan does not name the owner of the key. */
  readonly address?: EmailKey | undefined;
  readonly team?: TeamKey | undefined;
  readonly because: readonly Reason[];
}

/** What a call does to one person or key. `first-member`: they are created together with the team, and no mail is sent. */
export type Change = (Origin & { readonly is: "account" | "first-member" | "added" }) | RoleChange;

export interface RoleChange extends Origin, text.NamedKey {
  readonly is: "roles";
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

export const planChanges = text.onceOfEach((plan: Plan): readonly Change[] => {
  const exact = new Set(
    plan.actions.flatMap((one) => (one.kind === "replace-roles" ? [newKeyId(one.key.address, teamOf(one))] : [])),
  );
  return plan.actions.flatMap((action) => changesBy(action, text.planNames(plan), exact));
});

/** Of a key that comes with a call: in a team, or a person's own. */
function newKeyId(address: EmailKey | undefined, team: TeamKey | undefined): string {
  return `${team ?? ""} ${address}`;
}

const newKey = { is: "roles", before: { known: "new-key" }, gains: [], loses: [], keeps: [], temporary: [] } as const;

/** `exact`: new keys that another call makes exact. */
function changesBy(action: Action, names: text.PlanNames, exact: ReadonlySet<string>): readonly Change[] {
  const { because } = action;
  if (action.kind === "replace-roles") return [changeByReplacement(action, names)];
  if (action.kind === "create-user") {
    const { address, createsTeam } = action;
    const { team, accessKeyRoles: gains = [], temporaryRoles = [] } = createsTeam ?? {};
    const origin = { action, address, because };
    const created = { ...origin, is: "account" } as const;
    const joins = team === undefined ? [created] : [created, { ...origin, is: "first-member", team } as const];
    if (exact.has(newKeyId(address, team))) return joins;
    if (team === undefined) return [...joins, { ...newKey, ...origin, of: "own-key", after: "whatever-comes" }];
    // The service may give it more than was asked for.
    const key = { ...newKey, ...origin, of: "team-key", team, gains, after: "at-least" } as const;
    return [...joins, { ...key, temporary: rolesWithout(temporaryRoles, gains) }];
  }
  const { team, members } = action;
  const reasons = groupBy(because, (reason) => reason.person);
  return members.flatMap(({ address }): readonly Change[] => {
    const origin = { action, address, team, because: reasons.get(address) ?? because };
    const joins = { ...origin, is: "added" } as const;
    if (exact.has(newKeyId(address, team))) return [joins];
    return [joins, { ...newKey, ...origin, of: "team-key", after: "whatever-comes" }];
  });
}

export function changeByReplacement(action: ReplaceRoles, names: text.PlanNames): RoleChange {
  const { key, before, roles, because } = action;
  const had = factValue(before) ?? [];
  const isNew = key.of !== "prefix" || (before.known === "unknown" && before.why === createdByThisPlan);
  const giver = key.of === "team-key" ? names.action(giverOf(action) ?? "") : undefined;
  const carried = giver?.kind === "create-user" ? giver.createsTeam?.temporaryRoles : undefined;
  return {
    is: "roles",
    action,
    address: key.address,
    because,
    ...text.namedKey(action),
    before: isNew ? { known: "new-key" } : before,
    gains: rolesWithout(roles, had),
    loses: rolesWithout(had, roles),
    keeps: roles.filter((role) => had.includes(role)),
    temporary: rolesWithout(carried ?? [], roles),
    after: "exactly",
  };
}

/** A change with its privileged roles alone; undefined where it has none. */
export function privilegedPart(change: Change, privileged: RoleSet): RoleChange | undefined {
  if (change.is !== "roles") return undefined;
  const of = (roles: RoleSet) => roles.filter((role) => privileged.includes(role));
  // The plan has decided already that what a key has for a short time is privileged.
  const [gains, loses] = [of(change.gains), of(change.loses)];
  return gains.length + loses.length + change.temporary.length === 0 ? undefined : { ...change, gains, loses };
}

/** Privileged roles first: `-ACCOUNT_ADMIN +TEAM_ROLE, keeps DEVELOPER`, or `gets DEVELOPER` where the roles before are not known or none. */
export function rolePieces(change: RoleChange, privileged: RoleSet = []): readonly t.Piece[] {
  const { before, after, gains, loses, keeps, temporary } = change;
  const brief: readonly t.Piece[] =
    temporary.length === 0 ? [] : [t.inked("alarm", `${temporary.join(", ")} for a short time`), ", then "];
  if (after === "whatever-comes") return [...brief, "roles chosen by the service"];
  const signed = (roles: RoleSet, sign: string, usual?: t.Ink) =>
    roles.map((role) => {
      const isPrivileged = privileged.includes(role);
      const text = `${sign}${role}${isPrivileged ? " (privileged)" : ""}`;
      return { isPrivileged, piece: t.inked(isPrivileged ? "alarm" : usual, text) };
    });
  const joined = (roles: ReturnType<typeof signed>, between: string): readonly t.Piece[] =>
    roles
      .toSorted((one, other) => Number(other.isPrivileged) - Number(one.isPrivileged))
      .flatMap(({ piece }, index) => (index === 0 ? [piece] : [between, piece]));
  if (before.known === "new-key" || before.known === "unknown") {
    const roles = joined(signed(gains, ""), ", ");
    const source = before.known === "unknown" ? [t.inked("dim", ` (before unknown: ${before.why})`)] : [];
    const exactly = before.known === "unknown" ? ["exactly "] : [];
    const list =
      after === "at-least"
        ? ["gets ", ...roles, " and roles that the service adds"]
        : gains.length === 0
          ? ["no roles"]
          : ["gets ", ...exactly, ...roles];
    return [...brief, ...list, ...source];
  }
  const changes = joined([...signed(loses, "-", "remove"), ...signed(gains, "+", "add")], " ");
  const rest = keeps.length > 0 ? `keeps ${keeps.join(", ")}` : gains.length === 0 ? "no roles left" : "";
  const source = before.known === "observed" ? "" : ` (before: ${text.formatSource(before)})`;
  return [...brief, ...changes, changes.length === 0 || rest === "" ? "" : ", ", t.inked("dim", `${rest}${source}`)];
}
