import { formatCount } from "../report/phrases.ts";
import { safe } from "../report/safe.ts";
import { countImported, type ImportedRoster } from "../roster/import/imported.ts";

/** What an import has written and what it left out, for people. */
export function formatImportSummary(adoption: ImportedRoster, written: readonly string[], directory: string): string {
  const { users, teams, keys } = countImported(adoption);
  const parts = [...adoption.accounts.flatMap((account) => [account.users, account.teams, account.keys])];
  const remarks = [...adoption.remarks, ...parts.flatMap((part) => part.remarks)];
  const counts = [formatCount(users, "user"), formatCount(teams, "team"), formatCount(keys, "key")].join(", ");
  if (written.length === 0) {
    const said = remarks.map((remark) => `  ${safe(remark)}\n`);
    return `The roster lacks nothing that can be added in a file of its own. Nothing was written.\n${said.join("")}`;
  }
  const left =
    remarks.length === 0
      ? ""
      : `Not adopted: ${formatCount(remarks.length, "thing")}; comments in the files say what and why.\n`;
  const files = written.map((path) => `  ${safe(path)}\n`).join("");
  return `Imported ${counts} into ${formatCount(written.length, "file")}:\n${files}${left}${next(directory)}`;
}

function next(directory: string): string {
  const path = safe(directory);
  return `\nNext:\n  roster validate ${path}\n  roster plan ${path}            # empty, as long as nobody changes anything\n`;
}
