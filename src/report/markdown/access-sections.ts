import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { AccessChange, Holder, PersonAccess, RoleChange } from "../access/access-change.ts";
import { accessChanges } from "../access/access-changes.ts";
import { holdersCounted } from "../access/access-words.ts";
import { privilegeOf } from "../access/privilege.ts";
import { planTree, type TeamNode } from "../views/plan-tree.ts";
import { counted } from "../words.ts";
import { gainsCell, holderCell, keepsCell, keyCell, losesCell, placesCell } from "./access-cells.ts";
import { type Section, tableHead, tableRow } from "./document.ts";
import { code, codes } from "./safe-markdown.ts";

/** Who gains and loses which access by a plan: privileged roles, then team by team, then person by person. */
export function accessSections(plan: Plan, privileged: RoleSet, whole: string): readonly Section[] {
  const accesses = accessChanges(plan, privileged);
  const privileges = accesses.flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? privilegeRows(who, change, privileged) : [])),
  );
  const teams = planTree(plan).flatMap((node) => (node.is === "team" ? [node] : []));
  const people = holdersCounted(accesses.map(({ who }) => who));
  return [
    section({
      title: `Privileged roles (${privileges.length})`,
      head: ["who", "gains or loses", "where", "asked for at"],
      rows: privileges,
      rank: 3,
      more: (count) => `… and ${counted(count, "more change")} of privileged roles: ${whole}`,
    }),
    section({
      title: `By team (${teams.length})`,
      head: ["team", "administrator", "joins, each with a mail", "gets other roles", "mails", "calls at most"],
      rows: teams.map(teamRow),
      rank: 40,
      more: (count) => `… and ${counted(count, "more team")}: ${whole}`,
    }),
    section({
      title: `By person (${people === "" ? 0 : people})`,
      head: ["who", "gains", "loses", "keeps on the same keys", "asked for at"],
      rows: accesses.map((access) => personRow(access, privileged)),
      rank: 50,
      more: (count) => `… and ${counted(count, "more person", "more people")}: ${whole}`,
    }),
  ].filter(({ rows }) => rows.length > 0);
}

interface Table extends Pick<Section, "rows" | "rank" | "more"> {
  readonly title: string;
  readonly head: readonly string[];
}

function section({ title, head, rows, rank, more }: Table): Section {
  return { title, is: "open", before: tableHead(head), rows, rank, more, between: "nothing" };
}

function privilegeRows(who: Holder, change: RoleChange, privileged: RoleSet): readonly string[] {
  const { gains, loses, forAMoment } = privilegeOf(change, privileged);
  const gain = change.before.known === "not-known" ? "is to have (before not known)" : "gains";
  const told = [
    ...(gains.length === 0 ? [] : [`**${gain}** ${codes(gains)}`]),
    ...(forAMoment.length === 0 ? [] : [`**holds for a moment** ${codes(forAMoment)}`]),
    ...(loses.length === 0 ? [] : [`**loses** ${codes(loses)}`]),
  ];
  if (told.length === 0) return [];
  return [tableRow([holderCell(who), told.join(", "), keyCell(change.key), placesCell([change])])];
}

function teamRow(team: TeamNode): string {
  const { name, account, identifier, founding, people, mails, actions } = team;
  const known = founding === undefined ? (identifier === undefined ? "" : ` (${code(identifier)})`) : " **new**";
  const joining = people.filter(({ changes }) => changes.some(isAddition));
  const others = people.filter(({ changes }) => changes.every(({ is }) => is === "roles"));
  return tableRow([
    `${code(name)}${known} in ${code(account)}${founding === undefined ? "" : `, founded with ${code(founding.founder)}`}`,
    founding === undefined ? "" : code(founding.admin),
    peopleCell(joining.map(({ who }) => who)),
    peopleCell(others.map(({ who }) => who)),
    `${mails}`,
    `${actions.length}`,
  ]);
}

function isAddition(change: AccessChange): boolean {
  return change.is === "membership" && change.how !== "founder";
}

function peopleCell(holders: readonly Holder[]): string {
  if (holders.length === 0) return "";
  const names = holders.map((who) => (who.is === "person" ? who.email : who.prefix));
  return `${holders.length}: ${codes(names, 6)}`;
}

function personRow(access: PersonAccess, privileged: RoleSet): string {
  const leaves = access.changes.some(({ rule }) => rule === "leaver-disarmed") ? ", a leaver" : "";
  const { changes } = access;
  return tableRow([
    `${holderCell(access.who)}${leaves}`,
    gainsCell(access, privileged),
    losesCell(access),
    keepsCell(access),
    placesCell(changes),
  ]);
}
