import type { Action, ActionId } from "../../model/action.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { Rehearsal } from "../../model/rehearsal.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { AccessChange } from "../../report/access/access-change.ts";
import { holderWords } from "../../report/access/access-words.ts";
import { isPrivileged } from "../../report/access/privilege.ts";
import type { Reading } from "../../report/outcome.ts";
import { type PlanNames, planNames } from "../../report/plan-names.ts";
import { actionName } from "../../report/text/action-lines.ts";
import { blockingFirst, findingCounts } from "../../report/text/finding-lines.ts";
import type { Piece } from "../../report/text/lines.ts";
import { changePieces, markPiece, type PersonContext, placesOf, placesWords } from "../../report/views/person-lines.ts";
import { type PersonNode, planTree, type TeamNode } from "../../report/views/plan-tree.ts";
import { counted } from "../../report/words.ts";
import type { Branch } from "./branch.ts";
import { groundBranches } from "./ground-branches.ts";

export interface Reviewed {
  readonly plan: Plan;
  readonly reading?: Reading;
  readonly rehearsal?: Rehearsal;
  readonly privileged: RoleSet;
}

/** A tree with more people than this begins with its teams folded. */
const mostUnfolded = 200;

/** What is reviewed as a tree: teams with their people, people and keys outside of teams, findings, and how all of it is known. */
export function planBranches(about: Reviewed): readonly Branch[] {
  const { plan, privileged } = about;
  const tree = planTree(plan);
  const people = tree.reduce((count, node) => count + (node.is === "team" ? node.people.length : 1), 0);
  const context = { names: planNames(plan), privileged, closed: people > mostUnfolded };
  return [
    ...tree.map((node) =>
      node.is === "team" ? teamBranch(node, context) : personBranch(node, { ...context, inside: "nothing" }),
    ),
    ...(plan.findings.length === 0 ? [] : [findingsBranch(plan.findings, context.closed)]),
    ...groundBranches(about),
  ];
}

interface Context extends Omit<PersonContext, "inside"> {
  readonly closed: boolean;
}

function teamBranch(team: TeamNode, context: Context): Branch {
  const { name, account, identifier, founding, people, actions, mails } = team;
  const children = people.map((person) => personBranch(person, { ...context, inside: "team" }));
  const heads = [
    counted(people.length, "person", "people"),
    ...(mails === 0 ? [] : [counted(mails, "mail")]),
    counted(actions.length, "call"),
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

function personBranch(node: PersonNode, context: Context & Pick<PersonContext, "inside">): Branch {
  const { who, changes, actions } = node;
  const told = actionsOf(actions, context.names);
  const place = placesWords(placesOf(node));
  const matters = changes.some((change) => isPrivileged(change, context.privileged));
  return {
    title: [markPiece(node), ` ${holderWords(who)}: `, ...privilegedFirst(node, context)],
    ...(place === undefined ? {} : { beside: place }),
    about: { is: "actions", actions: told, ...(who.is === "person" ? { person: who.address } : {}) },
    words: [...kindWords(told), ...changes.flatMap(roleWords)],
    ...(matters ? { matters } : {}),
    closed: "always",
    children: told.length < 2 ? [] : told.map((action) => actionBranch(action, context)),
  };
}

/** Privileged roles stand first, where no narrow screen cuts them off. */
function privilegedFirst(node: PersonNode, context: Context & Pick<PersonContext, "inside">): readonly Piece[] {
  const isFirst = (change: AccessChange) => isPrivileged(change, context.privileged);
  const first = changePieces({ ...node, changes: node.changes.filter(isFirst) }, context);
  const others = changePieces({ ...node, changes: node.changes.filter((change) => !isFirst(change)) }, context);
  return [...first, ...(first.length > 0 && others.length > 0 ? ["; "] : []), ...others];
}

function actionBranch(action: Action, { names }: Context): Branch {
  const place = placesWords(action.because);
  return {
    title: [actionName(action, names)],
    ...(place === undefined ? {} : { beside: place }),
    about: { is: "actions", actions: [action] },
    words: [action.kind],
    children: [],
  };
}

function findingsBranch(findings: readonly Finding[], closed: boolean): Branch {
  return {
    title: [{ ink: "strong", text: "What no call of this plan does" }],
    beside: findingCounts(findings),
    about: { is: "actions", actions: [] },
    words: [],
    ...(closed ? { closed: "at-first" } : {}),
    children: blockingFirst(findings).map(findingBranch),
  };
}

function findingBranch(finding: Finding): Branch {
  const { subject, code, message, because, blocking } = finding;
  const place = placesWords(because);
  const ink = blocking ? "alarm" : "change";
  return {
    title: [{ ink, text: "! " }, `${subject}  `, { ink, text: blocking ? code : `${code} (notice)` }],
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

function kindWords(actions: readonly Action[]): readonly string[] {
  return [...new Set(actions.map(({ kind }) => kind))];
}

function roleWords(change: AccessChange): readonly string[] {
  return change.is === "roles" ? [...change.gains, ...change.loses, ...change.keeps] : [];
}
