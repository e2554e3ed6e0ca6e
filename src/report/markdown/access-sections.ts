import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { AccessChange, PersonAccess } from "../access/access-change.ts";
import { accessChanges } from "../access/access-changes.ts";
import { formatHolderCount } from "../access/access-words.ts";
import { type PrivilegedKey, remainingPrivileges } from "../access/shown-privileges.ts";
import { accountsToShow, mostCommonAccount, withoutCommonAccount } from "../access/team-accounts.ts";
import { planTree } from "../views/plan-tree.ts";
import { formatCount } from "../words.ts";
import { gainsCell, holderCell, keepsCell, losesCell, placesCell } from "./access-cells.ts";
import { type Section, tableHead, tableRow } from "./document.ts";
import { privilegeRows } from "./privilege-rows.ts";
import { code } from "./safe-markdown.ts";
import { isAddition, teamRow } from "./team-row.ts";

export interface AccessSectionOptions {
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown?: readonly PrivilegedKey[] | undefined;
  /** Of a run this is what was planned, whatever came of it. */
  readonly is: "to-do" | "planned";
  /** Where all of it is told. */
  readonly whole: string;
}

/** Who gains and loses which access by a plan: privileged roles, then team by team, then person by person. */
export function accessSections(plan: Plan, { privileged, shown, is, whole }: AccessSectionOptions): readonly Section[] {
  const accesses = accessChanges(plan, privileged);
  const held = { privileged, shown: shown ?? [], left: remainingPrivileges(shown ?? [], plan) };
  const privileges = accesses.flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? privilegeRows(who, change, held) : [])),
  );
  const planned = is === "planned" ? ", as planned" : "";
  const usual = mostCommonAccount(accountsToShow(plan.actions));
  const teams = planTree(plan).flatMap((node) => (node.is === "team" ? [node] : []));
  const people = formatHolderCount(accesses.map(({ who }) => who));
  return [
    accessTable({
      title: `Privileged roles${planned} (${privileges.length})`,
      ...(shown === undefined ? { note: otherKeysUnknown } : {}),
      head: ["who", "gains or loses", "where", "asked for at"],
      rows: privileges,
      rank: 3,
      more: (count) => `… and ${formatCount(count, "more change")} of privileged roles: ${whole}`,
    }),
    accessTable({
      title: `By team${planned} (${teams.length})`,
      head: ["team", "administrator", "joins, each with a mail", "gets other roles", "mails", "calls at most"],
      rows: teams.map((team) => teamRow(team, privileged)),
      rank: 40,
      more: (count) => `… and ${formatCount(count, "more team")}: ${whole}`,
    }),
    accessTable({
      title: `By person${planned} (${people === "" ? 0 : people})`,
      note: personNote(accesses, usual),
      head: ["who", "gains", "loses", "keeps on the same keys", "asked for at"],
      rows: accesses.map(({ who, changes }) =>
        personRow({ who, changes: changes.map((change) => withoutCommonAccount(change, usual)) }, privileged),
      ),
      rank: 50,
      more: (count) => `… and ${formatCount(count, "more person", "more people")}: ${whole}`,
    }),
  ].filter(({ rows }) => rows.length > 0);
}

const otherKeysUnknown = "A saved plan does not say on which other keys these people have such roles.";

interface AccessTable extends Pick<Section, "rows" | "rank" | "more"> {
  readonly title: string;
  /** What holds of every row. */
  readonly note?: string;
  readonly head: readonly string[];
}

function accessTable({ title, note, head, rows, rank, more }: AccessTable): Section {
  const before = [...(note === undefined ? [] : [`${note}\n`]), ...tableHead(head)];
  return { title, is: "open", before, rows, rank, more, between: "nothing" };
}

/** What would stand in many a row. */
function personNote(accesses: readonly PersonAccess[], usual: string | undefined): string {
  const changes = accesses.flatMap((access) => access.changes);
  const joins = changes.some(isAddition) ? " Whoever joins a team is mailed." : "";
  const isBare = (change: AccessChange) =>
    change.is === "roles" && change.key.of === "own-key" && change.after === "whatever-comes";
  const own = changes.some(isBare)
    ? " A new user who founds no team gets an own key too, with the roles that the service gives it, unless the row says which."
    : "";
  const accounts = usual === undefined ? "" : ` Teams are of ${code(usual)} where no other account is said.`;
  return `Keys that stay as they are do not stand here.${joins}${own}${accounts}`;
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
