import type { RoleSet } from "../../model/role-set.ts";
import type { AccessChange, AccessHolder, RoleChange } from "../access/access-change.ts";
import type { PersonNode, TeamNode } from "../views/plan-tree.ts";
import { formatNewRoles, formatRoleChange } from "./access-cells.ts";
import { tableRow } from "./document.ts";
import { code, codes, joinCell } from "./safe-markdown.ts";

/** A team: who founds and administers it, who joins it with which roles, and whose roles there change to which. */
export function teamRow(team: TeamNode, privileged: RoleSet): string {
  const { name, account, identifier, founding, people, mails, actions } = team;
  const known = founding === undefined ? (identifier === undefined ? "" : ` (${code(identifier)})`) : " **new**";
  const joining = people.filter(({ changes }) => changes.some(isAddition));
  const others = people.filter(({ changes }) => changes.every(({ is }) => is === "roles"));
  return tableRow([
    `${code(name)}${known} in ${code(account)}${founding === undefined ? "" : `, founded with ${code(founding.founder)}`}`,
    founding === undefined ? "" : code(founding.admin),
    groupedCell(joining, ({ changes }) =>
      teamKeyChanges(changes)
        .map((key) => formatNewRoles(key, privileged))
        .join(", "),
    ),
    groupedCell(others, ({ changes }) =>
      teamKeyChanges(changes)
        .map((key) => formatRoleChange(key, privileged))
        .join(", "),
    ),
    `${mails}`,
    `${actions.length}`,
  ]);
}

/** What happens to the key of somebody in this team; of a new own key the row of the person tells. */
function teamKeyChanges(changes: readonly AccessChange[]): readonly RoleChange[] {
  return changes.flatMap((change) => (change.is === "roles" && change.key.of === "team-key" ? [change] : []));
}

/** Those to whom the same happens together: how many, what, and the first of them. */
function groupedCell(people: readonly PersonNode[], wordsOf: (person: PersonNode) => string): string {
  const alike = new Map<string, AccessHolder[]>();
  for (const person of people) {
    const words = wordsOf(person);
    const holders = alike.get(words);
    if (holders === undefined) alike.set(words, [person.who]);
    else holders.push(person.who);
  }
  const most = alike.size === 1 ? 6 : 3;
  return joinCell(
    [...alike].map(([words, holders]) => {
      const names = holders.map((who) => (who.is === "person" ? who.email : who.prefix));
      return `${holders.length}${words === "" ? "" : ` ${words}`}: ${codes(names, most)}`;
    }),
  );
}

/** Whether somebody comes into a team who is mailed about it. */
export function isAddition(change: AccessChange): boolean {
  return change.is === "membership" && change.how !== "founder";
}
