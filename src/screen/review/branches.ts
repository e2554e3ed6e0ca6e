import type { Action, ActionId } from "../../model/action.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan, Rehearsal } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { formatSubject } from "../../model/subject.ts";
import { type AccessChange, isPrivilegedChange } from "../../report/access/access-change.ts";
import { formatHolder } from "../../report/access/format-access.ts";
import type { ReadSummary } from "../../report/outcome.ts";
import { formatCount } from "../../report/phrases.ts";
import { type PlanNames, planNames } from "../../report/plan-summary.ts";
import { actionName } from "../../report/text/actions.ts";
import { blockingFirst, findingCounts } from "../../report/text/findings.ts";
import type { Line, Piece } from "../../report/text/lines.ts";
import { readingLines } from "../../report/text/plan.ts";
import { rehearsalLines } from "../../report/text/rehearsal.ts";
import { changePieces, formatPlaces, markPiece, type PersonContext, placesOf } from "../../report/views/people.ts";
import { type PersonNode, planTree, type TeamNode } from "../../report/views/plan-tree.ts";
import type { TreeNode } from "./tree.ts";

export interface ReviewInput {
  readonly plan: Plan;
  readonly reading?: ReadSummary;
  readonly rehearsal?: Rehearsal;
  readonly privileged: RoleSet;
}

/** A tree with more people than this begins with its teams folded. */
const maxUnfolded = 200;

/** What is reviewed as a tree: teams with their people, people and keys outside of teams, findings, and how all of it is known. */
export function planNodes(about: ReviewInput): readonly TreeNode[] {
  const { plan, privileged } = about;
  const tree = planTree(plan);
  const people = tree.reduce((count, node) => count + (node.is === "team" ? node.people.length : 1), 0);
  const context = { names: planNames(plan), privileged, closed: people > maxUnfolded };
  return [
    ...tree.map((node) =>
      node.is === "team" ? teamNode(node, context) : personNode(node, { ...context, inside: "nothing" }),
    ),
    ...(plan.findings.length === 0 ? [] : [findingsNode(plan.findings, context.closed)]),
    ...backgroundNodes(about),
  ];
}

interface ReviewTreeContext extends Omit<PersonContext, "inside"> {
  readonly closed: boolean;
}

function teamNode(team: TeamNode, context: ReviewTreeContext): TreeNode {
  const { name, account, identifier, founding, people, actions, mails } = team;
  const children = people.map((person) => personNode(person, { ...context, inside: "team" }));
  const heads = [
    formatCount(people.length, "person", "people"),
    ...(mails === 0 ? [] : [formatCount(mails, "mail")]),
    formatCount(actions.length, "call"),
  ];
  const founder = founding === undefined ? [] : [{ ink: "dim", text: `, founded with ${founding.founder}` } as const];
  return {
    title: [
      { ink: "strong", text: `Team ${name}` },
      ...(founding === undefined ? [] : [{ ink: "add", text: " (new)" } as const]),
      `: ${heads.join(", ")}`,
      ...founder,
    ],
    about: { is: "actions", actions: actionsOf(actions, context.names) },
    words: [account, identifier ?? "", ...(founding === undefined ? [] : ["founds"])],
    ...(context.closed ? { closed: "at-first" } : {}),
    children,
  };
}

function personNode(node: PersonNode, context: ReviewTreeContext & Pick<PersonContext, "inside">): TreeNode {
  const { who, changes, actions } = node;
  const told = actionsOf(actions, context.names);
  const place = formatPlaces(placesOf(node));
  const matters = changes.some((change) => isPrivilegedChange(change, context.privileged));
  return {
    title: [markPiece(node), ` ${formatHolder(who)}: `, ...privilegedFirst(node, context)],
    ...(place === undefined ? {} : { beside: place }),
    about: { is: "actions", actions: told, ...(who.is === "person" ? { person: who.address } : {}) },
    words: [...actionKinds(told), ...changes.flatMap(changedRoles)],
    ...(matters ? { matters } : {}),
    closed: "always",
    children: told.length < 2 ? [] : told.map((action) => actionNode(action, context)),
  };
}

/** Privileged roles stand first, where no narrow screen cuts them off. */
function privilegedFirst(
  node: PersonNode,
  context: ReviewTreeContext & Pick<PersonContext, "inside">,
): readonly Piece[] {
  const isFirst = (change: AccessChange) => isPrivilegedChange(change, context.privileged);
  const first = changePieces({ ...node, changes: node.changes.filter(isFirst) }, context);
  const others = changePieces({ ...node, changes: node.changes.filter((change) => !isFirst(change)) }, context);
  return [...first, ...(first.length > 0 && others.length > 0 ? ["; "] : []), ...others];
}

function actionNode(action: Action, { names }: ReviewTreeContext): TreeNode {
  const place = formatPlaces(action.because);
  return {
    title: [actionName(action, names)],
    ...(place === undefined ? {} : { beside: place }),
    about: { is: "actions", actions: [action] },
    words: [action.kind],
    children: [],
  };
}

function findingsNode(findings: readonly Finding[], closed: boolean): TreeNode {
  return {
    title: [{ ink: "strong", text: "What no call of this plan does" }],
    beside: findingCounts(findings),
    about: { is: "actions", actions: [] },
    words: [],
    ...(closed ? { closed: "at-first" } : {}),
    children: blockingFirst(findings).map(findingNode),
  };
}

function findingNode(finding: Finding): TreeNode {
  const { subject, code, message, because, blocking } = finding;
  const place = formatPlaces(because);
  const ink = blocking ? "alarm" : "change";
  return {
    title: [{ ink, text: "! " }, `${formatSubject(subject)}  `, { ink, text: blocking ? code : `${code} (notice)` }],
    ...(place === undefined ? {} : { beside: place }),
    about: { is: "finding", finding },
    words: [message, blocking ? "blocking" : "notice", "finding"],
    ...(blocking ? { matters: true } : {}),
    children: [],
  };
}

function actionsOf(ids: readonly ActionId[], names: PlanNames): readonly Action[] {
  return ids.flatMap((id) => names.action(id) ?? []);
}

function actionKinds(actions: readonly Action[]): readonly string[] {
  return [...new Set(actions.map(({ kind }) => kind))];
}

function changedRoles(change: AccessChange): readonly string[] {
  return change.is === "roles" ? [...change.gains, ...change.loses, ...change.keeps] : [];
}

/** What the plan rests on as a whole: how the service was read, and what a rehearsal has shown. */
function backgroundNodes({ plan, reading, rehearsal }: ReviewInput): readonly TreeNode[] {
  return [
    ...(rehearsal === undefined ? [] : [rehearsalNode(rehearsalLines(rehearsal, plan), rehearsal.converges)]),
    ...(reading === undefined ? [] : [textNode("How the service was read", readingLines("Plan for", plan, reading))]),
  ];
}

function rehearsalNode(lines: readonly Line[], converges: boolean): TreeNode {
  const told = textNode("What a rehearsal has shown", lines);
  return converges ? told : { ...told, matters: true };
}

function textNode(title: string, lines: readonly Line[]): TreeNode {
  return { title: [{ ink: "strong", text: title }], about: { is: "told", lines }, words: [], children: [] };
}
