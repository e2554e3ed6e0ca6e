import { writeYaml } from "../../yaml/write-yaml.ts";
import type { AdoptedAccount, Adoption } from "./adoption.ts";
import { type FileNames, fileNames } from "./file-names.ts";
import { type FileContent, rosterDocument } from "./roster-document.ts";

/** One file for everything, one for each account, or the people of each account and each team in a file of its own. */
export type RosterLayout = "file" | "account" | "team";

export interface LayoutWish {
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
export function layOut(adoption: Adoption, wish: LayoutWish): readonly FileToWrite[] {
  const filled = adoption.accounts.filter((account) => hasFound(account));
  const isAddition = wish.addition !== undefined;
  const accounts = filled.length > 0 || isAddition ? filled : adoption.accounts.slice(0, 1);
  const names = fileNames(wish.taken);
  const contents = accounts.flatMap((account) => contentsOf(account, { ...wish, accounts: accounts.length }, names));
  return contents.map(([file, content], index) => {
    const remarks = index === 0 ? adoption.remarks : [];
    return { file, text: writeYaml(headOf(file, remarks, wish), rosterDocument(content)) };
  });
}

/** The accounts that have something to write: more than one cannot be in one file. */
export function hasFound({ users, teams, keys }: AdoptedAccount): boolean {
  return users.found.length + teams.found.length + keys.found.length > 0;
}

function contentsOf(
  account: AdoptedAccount,
  { layout, addition, accounts }: LayoutWish & { readonly accounts: number },
  names: FileNames,
): readonly (readonly [file: string, content: FileContent])[] {
  const ofAccount = addition === undefined ? account.account : `${account.account} ${addition}`;
  if (layout === "file" && accounts === 1) return [[names.give("", addition ?? "roster", "roster"), account]];
  if (layout !== "team") return [[names.give("", ofAccount, "account"), account]];
  const people: FileContent = { ...account, teams: { found: [], remarks: account.teams.remarks } };
  return [
    ...(isEmpty(people) ? [] : [[names.give("people/", ofAccount, "account"), people] as const]),
    ...account.teams.found.map((team): readonly [string, FileContent] => {
      const alone = { account: account.account, teams: { found: [team], remarks: [] } };
      return [names.give("teams/", team.name, "team"), alone];
    }),
  ];
}

function isEmpty({ users, teams, keys }: FileContent): boolean {
  return [users, teams, keys].every((part) => part === undefined || part.found.length + part.remarks.length === 0);
}

function headOf(file: string, remarks: readonly string[], { schemaFor, imported }: LayoutWish): readonly string[] {
  return [
    `yaml-language-server: $schema=${schemaFor(file)}`,
    "",
    `Imported from ${imported.service} at ${imported.at}.`,
    ...remarks.map((remark) => remark.replace(/\s/gu, " ")),
  ];
}
