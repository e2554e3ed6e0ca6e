import { writeYaml } from "../../yaml/write-yaml.ts";
import type { ImportedAccount, ImportedRoster } from "./adoption.ts";
import { type FileNamer, fileNamer } from "./file-names.ts";
import { type ImportedFile, importedFileYaml } from "./roster-document.ts";

/** One file for everything, one for each account, or the people of each account and each team in a file of its own. */
export type RosterLayout = "file" | "account" | "team";

export interface FileLayoutOptions {
  readonly layout: RosterLayout;
  /** What the files add to a roster that is there: `imported-2026-11-20`. Absent where they are a roster by themselves. */
  readonly addition?: string;
  /** Paths that are not to be used, such as those of the roster's own files. */
  readonly taken: Iterable<string>;
  /** Where the schema lies, as seen from a file. */
  readonly schemaFor: (file: string) => string;
  /** From where and when the roster was read. */
  readonly imported: { readonly service: string; readonly at: string };
}

/** A roster file to be written, its path relative to the roster's directory. */
export interface FileToWrite {
  readonly file: string;
  readonly text: string;
}

/** The files of an adoption. A file has one account: several accounts are never in one. */
export function importFiles(adoption: ImportedRoster, wish: FileLayoutOptions): readonly FileToWrite[] {
  const filled = adoption.accounts.filter((account) => hasImports(account));
  const isAddition = wish.addition !== undefined;
  const accounts = filled.length > 0 || isAddition ? filled : adoption.accounts.slice(0, 1);
  const names = fileNamer(wish.taken);
  const contents = accounts.flatMap((account) => accountFiles(account, { ...wish, accounts: accounts.length }, names));
  return contents.map(([file, content], index) => {
    const remarks = index === 0 ? adoption.remarks : [];
    return { file, text: writeYaml(fileHeader(file, remarks, wish), importedFileYaml(content)) };
  });
}

/** The accounts that have something to write: more than one cannot be in one file. */
export function hasImports({ users, teams, keys }: ImportedAccount): boolean {
  return users.found.length + teams.found.length + keys.found.length > 0;
}

function accountFiles(
  account: ImportedAccount,
  { layout, addition, accounts }: FileLayoutOptions & { readonly accounts: number },
  names: FileNamer,
): readonly (readonly [file: string, content: ImportedFile])[] {
  const ofAccount = addition === undefined ? account.account : `${account.account} ${addition}`;
  if (layout === "file" && accounts === 1) return [[names.give("", addition ?? "roster", "roster"), account]];
  if (layout !== "team") return [[names.give("", ofAccount, "account"), account]];
  const people: ImportedFile = { ...account, teams: { found: [], remarks: account.teams.remarks } };
  return [
    ...(isEmptyFile(people) ? [] : [[names.give("people/", ofAccount, "account"), people] as const]),
    ...account.teams.found.map((team): readonly [string, ImportedFile] => {
      const alone = { account: account.account, teams: { found: [team], remarks: [] } };
      return [names.give("teams/", team.name, "team"), alone];
    }),
  ];
}

function isEmptyFile({ users, teams, keys }: ImportedFile): boolean {
  return [users, teams, keys].every((part) => part === undefined || part.found.length + part.remarks.length === 0);
}

function fileHeader(
  file: string,
  remarks: readonly string[],
  { schemaFor, imported }: FileLayoutOptions,
): readonly string[] {
  return [
    `yaml-language-server: $schema=${schemaFor(file)}`,
    "",
    `Imported from ${imported.service} at ${imported.at}.`,
    ...remarks.map((remark) => remark.replace(/\s/gu, " ")),
  ];
}
