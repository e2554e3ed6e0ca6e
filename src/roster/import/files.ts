import { writeYaml, YamlBlock, YamlComment, type YamlMap, type YamlValue } from "../../yaml/write.ts";
import type {
  ImportedAccount,
  ImportedRoster,
  ImportedSection,
  ImportedTeam,
  ImportedUser,
} from "./import-snapshot.ts";

interface ImportedFileOptions {
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

export function importFiles(imported: ImportedRoster, options: ImportedFileOptions): readonly FileToWrite[] {
  const filled = imported.accounts.filter(({ users, teams, keys }) =>
    [users, teams, keys].some(({ found }) => found.length > 0),
  );
  const accounts = filled.length > 0 ? filled : imported.accounts.slice(0, 1);
  const nameFile = fileNamer();
  return accounts.map((account, index) => {
    const file = accounts.length === 1 ? "roster.yaml" : nameFile(account.account);
    const remarks = index === 0 ? imported.remarks : [];
    return { file, text: writeYaml(fileHeader(file, remarks, options), importedFileYaml(account)) };
  });
}

function fileHeader(
  file: string,
  remarks: readonly string[],
  { schemaFor, imported }: ImportedFileOptions,
): readonly string[] {
  return [
    `yaml-language-server: $schema=${schemaFor(file)}`,
    "",
    `Imported from ${imported.service} at ${imported.at}.`,
    ...remarks.map(oneLine),
  ];
}

/** Longer names are cut, so that no file system refuses them. */
const maxStemLength = 50;
/** Names that some system takes for a device, whatever their ending. */
const deviceNames = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;

/** Gives each account a file name of its own, in no file system the same as another. */
export function fileNamer(): (account: string) => string {
  const used = new Set<string>();
  return (account) => {
    const stem = slug(account) || "account";
    for (let count = 1; ; count += 1) {
      const path = `${stem}${count === 1 ? "" : `-${count}`}.yaml`;
      if (used.has(foldPath(path))) continue;
      used.add(foldPath(path));
      return path;
    }
  };
}

/** Lower-case letters and digits with hyphens between, of whatever a person has chosen as a name. */
function slug(name: string): string {
  const words = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .normalize("NFC");
  const stem = [...words]
    .slice(0, maxStemLength)
    .join("")
    .replace(/^[-\p{M}]+|-+$/gu, "");
  return deviceNames.test(stem) ? `${stem}-file` : stem;
}

function foldPath(path: string): string {
  return path.normalize("NFKD").toUpperCase().toLowerCase();
}

function importedFileYaml({ account, users, teams, keys }: ImportedAccount): YamlMap {
  const source = commonSource(users.found);
  const withoutSource = ({ address: _, ...user }: ImportedUser) =>
    user.source === source ? { ...user, source: undefined } : user;
  return {
    version: 1,
    account,
    defaults: source === undefined ? undefined : { source },
    users: sectionYaml(users, withoutSource),
    teams: sectionYaml(teams, teamYaml, "spaced"),
    keys: sectionYaml(keys, (key) => ({ ...key })),
  };
}

function sectionYaml<T>(
  { found, remarks }: ImportedSection<T>,
  write: (one: T) => YamlValue,
  layout: YamlBlock["layout"] = "dense",
): YamlValue | undefined {
  if (found.length + remarks.length === 0) return undefined;
  const lines = ["Not adopted:", ...remarks.map((remark) => `  ${oneLine(remark)}`)];
  return new YamlBlock(
    [...found.map(write), ...(remarks.length === 0 ? [] : [new YamlComment(lines.join("\n"))])],
    layout,
  );
}

function teamYaml({ name, identifier, open, roles, members, remarks }: ImportedTeam): YamlValue {
  return new YamlBlock({
    name,
    identifier,
    ...Object.fromEntries(remarks.map((remark) => [`# ${remark}`, new YamlComment(oneLine(remark))])),
    open: open || undefined,
    roles,
    members: new YamlBlock(members.map(({ email, roles }) => ({ user: email, roles }))),
  });
}

/** A line break in what the service says would end the remark. */
function oneLine(remark: string): string {
  return remark.replace(/\s/gu, " ");
}

/** What all of them have for their source, so that it is written once. */
function commonSource(users: readonly ImportedUser[]): string | undefined {
  const [first, ...others] = users;
  return others.length > 0 && others.every(({ source }) => source === first?.source) ? first?.source : undefined;
}
