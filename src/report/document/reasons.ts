import { findings } from "../../codes/findings.ts";
import { formatCount, truncateList } from "../../codes/message.ts";
import { type Action, type ActionId, creationId, type RuleName } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy, multimap } from "../../model/collections.ts";
import { formatPlace, type ReadName, type Reason, type ReasonKind } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { ReadRecord, ReadSummary } from "../../model/snapshot.ts";
import { type Basis, createdByThisPlan } from "../../model/subject.ts";
import { firstOf, runsOf } from "../phrases.ts";
import { actionEntry, actionTitle, formatBasis, onceOfEach, type PlanNames, planNames } from "./actions.ts";
import { type Block, type Entry, entriesOf, inked, type Line, line, lines, sentence } from "./tree.ts";

export interface ReasonContext {
  readonly names: PlanNames;
  readonly readings?: Readings | undefined;
  /** Of an action for several people: the person whose part is shown. */
  readonly person?: EmailKey | undefined;
}

type Readings = ReadonlyMap<ReadName, ReadRecord>;

/** Why something is in a plan: what in the YAML asks for it, on which facts it rests, and by which rule it follows. */
export function reasonLines(of: Action | Finding, { names, readings, person }: ReasonContext): readonly Line[] {
  return [
    ...headedLines("reason", reasonChainLines(reasonsFor(of, person), names)),
    ...headedLines("based on", factLines(factsFor(of, person), readings)),
    ...ruleLines(of),
  ];
}

function headedLines(heading: string, inside: readonly Line[]): readonly Line[] {
  return inside.length === 0
    ? []
    : [line(0, [inked("dim", heading)]), ...inside.map((one) => ({ ...one, indent: one.indent + 2 }))];
}

function reasonsFor({ because }: Action | Finding, person: EmailKey | undefined): readonly Reason[] {
  if (person === undefined) return because;
  const { own, shared, order } = linksByPerson(because);
  const theirs = own.get(person) ?? [];
  const groups = new Set(theirs.flatMap(({ as, name }) => (as === "group-member" ? [name] : [])));
  const others = shared.filter((link) => link.as !== "group" || groups.has(link.name));
  return [...others, ...theirs].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

/** An action can be for thousands of people, each of whom is explained. */
const linksByPerson = onceOfEach((chain: readonly Reason[]) => ({
  own: multimap(
    chain.flatMap((link) => (link.as === "group" || link.person === undefined ? [] : [[link.person, link]])),
  ),
  shared: chain.filter((link) => link.as === "group" || link.person === undefined),
  order: new Map(chain.map((link, index) => [link, index])),
}));

function factsFor(of: Action | Finding, person: EmailKey | undefined): Action["restsOn"] {
  if (person === undefined || "code" in of || of.kind !== "add-members") return of.restsOn;
  const { own, shared } = factsByMember(of.restsOn);
  return [...shared, ...(own.get(person) ?? [])];
}

const factsByMember = onceOfEach((facts: readonly Basis[]) => ({
  own: multimap(facts.flatMap((one) => (one.about.kind === "member" ? [[one.about.address, one]] : []))),
  shared: facts.filter(({ about }) => about.kind !== "member"),
}));

function ruleLines(of: Action | Finding): readonly Line[] {
  if ("rule" in of) return [line(0, [inked("dim", "rule "), rules[of.rule] ?? of.rule])];
  const title = findings[of.code]?.title;
  return [line(0, [inked("dim", "code "), of.code, ...(title === undefined ? [] : [`: ${title}`])])];
}

/** Why an action is planned, in words. A plan of a newer minor version may name a rule that this one does not know. */
const rules: Readonly<Record<RuleName, string> & Partial<Record<string, string>>> = {
  "absent-user": "a user of the roster does not exist yet",
  "recreated-user": "you allowed roster to create a user again",
  "creates-team": "a new team is created with a new user",
  "missing-member": "members of the roster are not in the team",
  "joins-new-team": "members join a team that this plan creates",
  "roles-differ": "a key has other roles than the roster",
  "roles-unknown": "the roles of a key are unknown",
  "roles-of-new-key": "a new key gets its roles",
  "roles-of-first-member": "the first member's key gets exactly the roles of the roster",
  "leaver-roles-removed": "roster removes the roles of a leaver",
  "extra-member-roles-removed": "roster removes the roles of an extra member",
};

const maxAlike = 5;

/** A chain, one link a line with its place; of many alike that follow each other, the first few. */
export function reasonChainLines(chain: readonly Reason[], names: PlanNames): readonly Line[] {
  const areAlike = (one: Reason, next: Reason) =>
    one.as === next.as && (one.as !== "group-member" || one.name === next.name);
  return runsOf(inReadingOrder(chain), areAlike).flatMap((alike) => {
    const { shown, more } = firstOf(alike, maxAlike);
    const depth = (link: Reason) => (nested.has(link.as) ? 2 : 0);
    const [left] = alike.slice(shown.length);
    return [
      ...shown.map((link) => line(depth(link), [formatReason(link, names)], formatPlace(link))),
      ...(left === undefined ? [] : [line(depth(left), [inked("dim", `and ${more} more like these`)])]),
    ];
  });
}

/** Everybody of one group stands below the entry that names the group. */
function inReadingOrder(chain: readonly Reason[]): readonly Reason[] {
  const people = groupBy(chain, ({ as, name }) => (as === "group-member" ? name : undefined));
  return chain.flatMap((link) => {
    const others = link.as === "group-member" ? people.get(link.name ?? "") : undefined;
    if (others === undefined) return [link];
    return others[0] === link ? others : [];
  });
}

/** What explains the link above it. */
const nested: ReadonlySet<ReasonKind> = new Set(["group-member", "role-set", "known-prefix", "key-owner"]);

function formatReason({ as, name = "", person }: Reason, names: PlanNames): string {
  const who = person === undefined ? "the person" : names.email(person);
  return Object.hasOwn(reasonTexts, as) ? reasonTexts[as](name, who) : as;
}

const reasonTexts: Readonly<Record<ReasonKind, (name: string, who: string) => string>> = {
  user: () => "an entry of `users`",
  "former-address": (name) => `\`previously\`: ${name}`,
  leaver: () => "an entry of `leavers`",
  from: (name) => `\`from\` ${name}: a user from that date`,
  until: (name) => `\`until\` ${name}: a leaver from that date`,
  team: (name) => `the team ${name}`,
  "team-roles": () => "the `roles` of the team",
  admin: (name) => `the \`admin\` of the team: ${name}`,
  "first-member": (name) => `the \`firstMember\` of the team: ${name}`,
  "on-removal": () => "the `onRemoval` of the team",
  member: (_, who) => `${who} is listed as a member`,
  group: (name) => `member through the group ${name}`,
  "group-member": (_, who) => `the group lists ${who}`,
  "member-roles": () => "the `roles` of this entry",
  "role-set": (name) => `through the role set ${name}`,
  "own-key-roles": () => "the `ownKeyRoles` of the user",
  key: () => "an entry of `keys`",
  "key-owner": (name) => `its \`owner\`: ${name}`,
  "known-prefix": () => "the prefix is its `key`",
  defaults: (name) => `the file's \`defaults\`: ${name}`,
  account: (name) => `the file's \`account\`: ${name}`,
  "settings-account": (name) => `the settings' account: ${name}`,
};

const maxFacts = 6;

/** The facts that something rests on, each with how it is known, and then the reads among these. */
function factLines(restsOn: readonly Basis[], readings: Readings = new Map()): readonly Line[] {
  const known = restsOn.filter(({ fact }) => fact.known !== "unknown" || fact.why !== createdByThisPlan);
  const made = restsOn.length - known.length;
  const { shown, more } = firstOf(known, maxFacts);
  const observedBy = restsOn.flatMap(({ fact }) => (fact.known === "observed" ? [fact.by] : []));
  const reads = readLines(observedBy, readings);
  const moreReads = reads.length - maxFacts;
  return [
    ...shown.map((one) => line(0, [formatBasis(one)])),
    ...(more === 0 ? [] : [line(0, [inked("dim", `and ${more} more facts`)])]),
    ...(made === 0 ? [] : [line(0, [formatCount(made, "fact from an earlier action", "facts from earlier actions")])]),
    ...reads.slice(0, maxFacts),
    ...(moreReads <= 0 ? [] : [line(0, [inked("dim", `and ${formatCount(moreReads, "more read")}`)])]),
  ];
}

/** When each of these reads was, and what it asked: `search 1 at 2026-11-20T06:00:02.120Z: POST /api/accounting/users/search for 4 addresses`. */
export function readLines(names: readonly ReadName[], readings: Readings): readonly Line[] {
  return [...new Set(names)].flatMap((name) => {
    const reading = readings.get(name);
    return reading === undefined ? [] : [line(0, [inked("dim", `${name} at ${reading.at}: ${reading.request}`)])];
  });
}

export interface ExplainedAction {
  readonly action: Action;
  readonly person?: EmailKey | undefined;
  readonly waitsFor: readonly ActionId[];
  readonly neededBy: readonly ActionId[];
}

/** Of each action, those that wait for it, in the order of the plan. */
const dependentsOf = onceOfEach(({ actions }: Plan) =>
  multimap(actions.flatMap((action) => [...new Set(action.dependsOn)].map((id) => [id, action] as const))),
);

/** An action can be for thousands of people, each of whom is explained. */
const placesOf = onceOfEach((ids: readonly ActionId[]) => new Map(ids.map((id, index) => [id, index])));

const replacementsOf = onceOfEach((actions: readonly Action[]) => ({
  others: actions.filter(({ kind }) => kind !== "replace-roles"),
  own: groupBy(actions, (action) => (action.kind === "replace-roles" ? action.key.address : undefined)),
}));

export function explainAction(action: Action, plan: Plan, person?: EmailKey): ExplainedAction {
  const needing = dependentsOf(plan).get(action.id) ?? [];
  if (person === undefined || action.kind !== "add-members") {
    return { action, waitsFor: action.dependsOn, neededBy: needing.map(({ id }) => id) };
  }
  const places = placesOf(action.dependsOn);
  const placeOf = (id: ActionId) => places.get(id) ?? -1;
  const needed = [...new Set([...[action.firstMember ?? []].flat(), person].map(creationId))];
  const waitsFor = needed.filter((id) => places.has(id)).sort((one, other) => placeOf(one) - placeOf(other));
  const { others, own } = replacementsOf(needing);
  const neededBy = [...others, ...(own.get(person) ?? [])].map(({ id }) => id);
  return { action, person, waitsFor, neededBy };
}

export function whyActions(
  actions: readonly Action[],
  person: EmailKey | undefined,
  source: { readonly plan: Plan; readonly readings: ReadSummary["readings"] | undefined },
): readonly Block[] {
  return entriesOf(actions.map((action) => whyEntry(explainAction(action, source.plan, person), source)));
}

const maxIds = 5;

export function whyEntry(
  { action, person, waitsFor, neededBy }: ExplainedAction,
  { plan, readings }: { readonly plan: Plan; readonly readings: ReadSummary["readings"] | undefined },
): Entry {
  const names = planNames(plan);
  const others = action.kind === "add-members" ? action.members.length - 1 : 0;
  const more = others === 0 ? "" : ` and ${formatCount(others, "other")}`;
  const isPart = person !== undefined && action.kind === "add-members";
  // All the people of an action are not listed for each of them.
  const entry = isPart ? actionTitle(action, names) : actionEntry({ ...action, restsOn: [] }, names);
  return {
    ...entry,
    notes: [
      ...(isPart ? [sentence(`${names.email(person)}${more}`)] : entry.notes),
      sentence(`action ${action.id}`, "dim"),
      ...lines(reasonLines(action, { names, readings, person })),
      ...(waitsFor.length === 0 ? [] : [sentence(`waits for ${truncateList(waitsFor, maxIds)}`)]),
      ...(neededBy.length === 0 ? [] : [sentence(`needed by ${truncateList(neededBy, maxIds)}`)]),
    ],
  };
}
