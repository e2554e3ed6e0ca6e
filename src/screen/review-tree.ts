import { isAccepted } from "../model/accept.ts";
import type { Action, ActionId } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { type Finding, isOpenProblem } from "../model/finding.ts";
import type { Plan } from "../model/plan.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ReadSummary } from "../model/snapshot.ts";
import { formatSubject } from "../model/subject.ts";
import { type AccessChange, isPrivilegedChange } from "../report/access/person-access.ts";
import { formatHolder } from "../report/document/access.ts";
import { actionName, formatCallCount, formatPlaces, type PlanNames, planNames } from "../report/document/actions.ts";
import type { Line, Piece } from "../report/document/blocks.ts";
import { readingLines } from "../report/document/plan.ts";
import { type PersonNode, planTree, type TeamNode } from "../report/document/plan-tree.ts";
import { changePieces, markPiece, type PersonContext, placesOf } from "../report/document/teams.ts";
import { formatCount, formatCounts } from "../report/phrases.ts";

export interface ReviewInput {
  readonly plan: Plan;
  readonly reading?: ReadSummary;
  readonly privileged: RoleSet;
}

/** One thing of a plan as the review shows it, with what belongs to it. */
export interface TreeNode {
  readonly title: readonly Piece[];
  /** What is shown at the right, such as a place in the YAML. */
  readonly aside?: string | undefined;
  readonly content: NodeContent;
  /** Why a reviewer has to look at it. */
  readonly severity?: Severity;
  /** Folded until a person unfolds it: `at-first` because the plan is large, so that a filter unfolds it. */
  readonly folded?: "always" | "at-first";
  /** What a filter searches as well, such as the kinds of the actions. */
  readonly keywords: readonly string[];
  readonly children: readonly TreeNode[];
}

/** A call cannot do it; or a privileged role changes. */
export type Severity = "blocking" | "privileged";

/** What the details of a node show. */
export type NodeContent =
  /** In the order in which they run; maybe none. `person`: the one person that the details are about. */
  | { readonly is: "actions"; readonly actions: readonly Action[]; readonly person?: EmailKey }
  | { readonly is: "finding"; readonly finding: Finding }
  | { readonly is: "lines"; readonly lines: readonly Line[] };

/** A tree with more people than this begins with its teams folded. */
const maxUnfolded = 200;

/** What is reviewed: teams with their people, people and keys outside of teams, what needs manual action, notices and the reads. */
export function planNodes({ plan, privileged, reading }: ReviewInput): readonly TreeNode[] {
  const tree = planTree(plan);
  const people = tree.reduce((count, node) => count + (node.is === "team" ? node.people.length : 1), 0);
  const context = { names: planNames(plan), privileged, isLarge: people > maxUnfolded };
  return [
    ...tree.map((node) =>
      node.is === "team" ? teamNode(node, context) : personNode(node, { ...context, inside: "nothing" }),
    ),
    ...findingNodes(plan.findings, context),
    ...(reading === undefined ? [] : [linesNode("How the service was read", readingLines("Plan for", plan, reading))]),
  ];
}

interface NodeContext extends Omit<PersonContext, "inside"> {
  /** Teams and findings begin folded. */
  readonly isLarge: boolean;
}

function teamNode(team: TeamNode, context: NodeContext): TreeNode {
  const { name, account, identifier, teamCreation, people, actions, mails } = team;
  const counts = [
    formatCount(people.length, "person", "people"),
    ...formatCounts([mails, "mail"]),
    formatCallCount(actionsOf(actions, context.names)),
  ];
  const firstMember =
    teamCreation === undefined ? [] : [{ ink: "dim", text: `, created with ${teamCreation.firstMember}` } as const];
  return {
    title: [
      { ink: "strong", text: `Team ${name}` },
      ...(teamCreation === undefined ? [] : [{ ink: "add", text: " (new)" } as const]),
      `: ${counts.join(", ")}`,
      ...firstMember,
    ],
    content: { is: "actions", actions: actionsOf(actions, context.names) },
    keywords: [account, identifier ?? "", ...(teamCreation === undefined ? [] : ["createsTeam"])],
    ...foldedAtFirst(context),
    children: people.map((person) => personNode(person, { ...context, inside: "team" })),
  };
}

function foldedAtFirst({ isLarge }: NodeContext): Pick<TreeNode, "folded"> {
  return isLarge ? { folded: "at-first" } : {};
}

function personNode(node: PersonNode, context: NodeContext & Pick<PersonContext, "inside">): TreeNode {
  const { who, changes } = node;
  const actions = actionsOf(node.actions, context.names);
  const isPrivileged = changes.some((change) => isPrivilegedChange(change, context.privileged));
  return {
    title: [markPiece(node), ` ${formatHolder(who)}: `, ...privilegedFirst(node, context)],
    aside: formatPlaces(placesOf(node)),
    content: { is: "actions", actions, ...(who.is === "person" ? { person: who.address } : {}) },
    ...(isPrivileged ? { severity: "privileged" } : {}),
    keywords: [...new Set(actions.map(({ kind }) => kind)), ...changes.flatMap(changedRoles)],
    folded: "always",
    children: actions.length < 2 ? [] : actions.map((action) => actionNode(action, context)),
  };
}

/** Privileged roles are shown first, where no narrow screen cuts them off. */
function privilegedFirst(node: PersonNode, context: NodeContext & Pick<PersonContext, "inside">): readonly Piece[] {
  const isPrivileged = (change: AccessChange) => isPrivilegedChange(change, context.privileged);
  const first = changePieces({ ...node, changes: node.changes.filter(isPrivileged) }, context);
  const others = changePieces({ ...node, changes: node.changes.filter((change) => !isPrivileged(change)) }, context);
  return [...first, ...(first.length > 0 && others.length > 0 ? ["; "] : []), ...others];
}

function actionNode(action: Action, { names }: NodeContext): TreeNode {
  return {
    title: [actionName(action, names)],
    aside: formatPlaces(action.because),
    content: { is: "actions", actions: [action] },
    keywords: [action.kind],
    children: [],
  };
}

/** What is accepted, what needs manual action and notices are lists of their own. */
function findingNodes(findings: readonly Finding[], context: NodeContext): readonly TreeNode[] {
  const accepted = findings.filter(isAccepted);
  const blocking = findings.filter(isOpenProblem);
  const notices = findings.filter((finding) => finding.kind === "notice" && !isAccepted(finding));
  return [
    ...(accepted.length === 0 ? [] : [findingListNode("Accepted", accepted, context)]),
    ...(blocking.length === 0 ? [] : [findingListNode("Needs manual action", blocking, context)]),
    ...(notices.length === 0 ? [] : [findingListNode("Notices", notices, context)]),
  ];
}

function findingListNode(title: string, findings: readonly Finding[], context: NodeContext): TreeNode {
  return {
    title: [{ ink: "strong", text: `${title}: ${findings.length}` }],
    content: { is: "actions", actions: [] },
    keywords: [],
    ...foldedAtFirst(context),
    children: findings.map(findingNode),
  };
}

function findingNode(finding: Finding): TreeNode {
  const { subject, code, message, because } = finding;
  const blocking = isOpenProblem(finding);
  const ink = blocking ? "alarm" : "change";
  return {
    title: [
      { ink, text: "! " },
      `${formatSubject(subject)}  `,
      { ink, text: blocking ? code : `${code} (${isAccepted(finding) ? "accepted" : "notice"})` },
    ],
    aside: formatPlaces(because),
    content: { is: "finding", finding },
    ...(blocking ? { severity: "blocking" } : {}),
    keywords: [message, blocking ? "blocking" : "notice", "finding"],
    children: [],
  };
}

function linesNode(title: string, lines: readonly Line[]): TreeNode {
  return { title: [{ ink: "strong", text: title }], content: { is: "lines", lines }, keywords: [], children: [] };
}

function actionsOf(ids: readonly ActionId[], names: PlanNames): readonly Action[] {
  return ids.flatMap((id) => names.action(id) ?? []);
}

function changedRoles(change: AccessChange): readonly string[] {
  return change.is === "roles" ? [...change.gains, ...change.loses, ...change.keeps] : [];
}

/** Every node in the order in which it is shown: each before what belongs to it. */
export type Tree = readonly TreeRow[];

export interface TreeRow {
  readonly node: TreeNode;
  readonly depth: number;
  readonly parent: number | undefined;
  /** The index after the last row that belongs to it. */
  readonly end: number;
  /** How many rows below this one a reviewer has to look at. */
  readonly inside: Readonly<Record<Severity, number>>;
  /** What a filter compares with, folded. */
  readonly searchText: string;
}

export function buildTree(nodes: readonly TreeNode[]): Tree {
  const rows: TreeRow[] = [];
  function add(node: TreeNode, depth: number, parent: number | undefined): void {
    const index = rows.length;
    const row = {
      node,
      depth,
      parent,
      end: index + 1,
      inside: { blocking: 0, privileged: 0 },
      searchText: searchTextOf(node),
    };
    rows.push(row);
    for (const child of node.children) add(child, depth + 1, index);
    if (node.children.length === 0) return;
    const below = rows.slice(index + 1);
    const count = (severity: Severity) => below.filter((one) => one.node.severity === severity).length;
    rows[index] = {
      ...row,
      end: rows.length,
      inside: { blocking: count("blocking"), privileged: count("privileged") },
    };
  }
  for (const node of nodes) add(node, 0, undefined);
  return rows;
}

/** Whether something belongs to the row, so that it can be folded. */
export function hasChildren(tree: Tree, index: number): boolean {
  return (tree[index]?.end ?? 0) > index + 1;
}

/** The rows that begin folded, for one of these reasons. */
export function initiallyFolded(tree: Tree, reasons: readonly TreeNode["folded"][]): ReadonlySet<number> {
  const isFolded = (index: number) => reasons.includes(tree[index]?.node.folded) && hasChildren(tree, index);
  return new Set([...tree.keys()].filter(isFolded));
}

/** Of each row, whether a filter leaves it. */
export type Matches = readonly boolean[];

/**
 * Each row that has every word of the filter, itself or together with those above it, with all that belongs to it and with
 * those above it. `within`: what a shorter filter has left.
 */
export function filterMatches(tree: Tree, filter: string, within?: Matches): Matches {
  const words = filterWords(filter);
  const matches = new Array<boolean>(tree.length).fill(false);
  const missing = new Map<number, readonly string[]>();
  let until = 0;
  for (const [index, { searchText, parent, end }] of tree.entries()) {
    if (index < until) continue;
    const wanted = parent === undefined ? words : (missing.get(parent) ?? words);
    const left = wanted.filter((word) => !searchText.includes(word));
    if (left.length > 0) missing.set(index, left);
    else {
      matches.fill(true, index, end);
      for (let at = parent; at !== undefined && matches[at] !== true; at = tree[at]?.parent) matches[at] = true;
    }
    if (left.length === 0 || within?.[index] === false) until = end;
  }
  return matches;
}

/** The words of a filter, as they are compared. */
export function filterWords(filter: string): readonly string[] {
  return foldText(filter)
    .split(/\s+/u)
    .filter((word) => word !== "");
}

function searchTextOf({ title, aside, keywords }: TreeNode): string {
  const texts = title.map((piece) => (typeof piece === "string" ? piece : piece.text));
  return foldText([texts.join(""), aside ?? "", ...keywords].join("\n"));
}

function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

interface ShownRows {
  readonly folded: ReadonlySet<number>;
  readonly matches: Matches | undefined;
}

/** The rows that are shown, in order: all but those below a folded one and those that the filter leaves out. */
export function visibleRows(tree: Tree, { folded, matches }: ShownRows): readonly number[] {
  const visible: number[] = [];
  for (let index = 0; index < tree.length; ) {
    const isVisible = matches === undefined || matches[index] === true;
    if (isVisible) visible.push(index);
    index = isVisible && !folded.has(index) ? index + 1 : (tree[index]?.end ?? tree.length);
  }
  return visible;
}

/** How many actions a filter leaves: those of the people, keys and calls that it finds. */
export function countMatchingActions(tree: Tree, matches: Matches): number {
  const actions = new Set<ActionId>();
  for (const [index, { node }] of tree.entries()) {
    if (matches[index] !== true || hasChildren(tree, index) || node.content.is !== "actions") continue;
    for (const { id } of node.content.actions) actions.add(id);
  }
  return actions.size;
}
