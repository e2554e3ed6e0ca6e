import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../../files/file-system.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import type { RosterError } from "../../library/error.ts";
import type { FoundFile } from "../../library/planning/load-roster.ts";
import { type Result, success } from "../../model/result.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../installed-package.ts";
import { createFile, replaceFiles } from "./write-files.ts";

/** What a person writes and an editor checks. */
export type SchemaName = "roster" | "settings";

/** The schema of roster files, in the directory of a roster: editors find it there, wherever roster itself is installed. */
export const schemaCopyName = "roster.schema.json";

export const schemaCopyNames: Readonly<Record<SchemaName, string>> = {
  roster: schemaCopyName,
  settings: "roster.config.schema.json",
};

/** What a roster file calls its schema: the one of a package in the project around it, else the copy in the roster's directory. */
export function schemaReference(directory: string, file: string): string {
  const copy = relative(dirname(file), join(directory, schemaCopyName));
  return bundledSchema("roster", file) ?? copy.split(sep).join("/");
}

/** The directory of a roster that a file belongs to: the one that was named, else that in which the file is. */
function rosterDirectory(file: string, chosen: readonly string[], host: Host): string {
  const path = resolve(host.cwd, file);
  const around = chosen.find((one) => {
    const below = relative(resolve(host.cwd, one), path);
    return below !== "" && !below.startsWith("..") && !isAbsolute(below);
  });
  return around === undefined ? dirname(path) : resolve(host.cwd, around);
}

const schemaLine = /^(#\s*yaml-language-server:\s*\$schema=)(\S+)/mu;

/** A file with the line for editors. A line that leads to another file, or to another address than ours, stays as it is. */
export function withSchemaLine({ file, bytes }: FoundFile, chosen: readonly string[], host: Host): Uint8Array {
  const path = resolve(host.cwd, file);
  const reference = schemaReference(rosterDirectory(file, chosen, host), path);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const [, , named] = schemaLine.exec(text) ?? [];
  if (named === undefined) return encode(withFirstLine(text, `# yaml-language-server: $schema=${reference}`));
  const isElsewhere = /^[a-z][a-z0-9+.-]+:/iu.test(named) || existsSync(resolve(dirname(path), named));
  if (isElsewhere || named === reference) return bytes;
  return encode(text.replace(schemaLine, (_, begin: string) => begin + reference));
}

function withFirstLine(text: string, line: string): string {
  const [mark = ""] = /^\ufeff?/u.exec(text) ?? [];
  return `${mark}${line}${/^[^\n]*\r\n/u.test(text) ? "\r\n" : "\n"}${text.slice(mark.length)}`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A copy that is missing, or is not the schema of this version of roster. */
export interface StaleCopy {
  readonly file: string;
  /** Absent where there is none yet. */
  readonly before?: string;
  readonly after: string;
}

/** The copies that formatted files name, as a person would write their paths. */
export async function staleCopies(
  files: readonly { readonly file: string; readonly after: Uint8Array }[],
  chosen: readonly string[],
  host: Host,
): Promise<readonly StaleCopy[]> {
  const named = files.flatMap(({ file, after }) => {
    const copy = join(rosterDirectory(file, chosen, host), schemaCopyName);
    const [, , reference = ""] = schemaLine.exec(new TextDecoder().decode(after)) ?? [];
    return resolve(host.cwd, dirname(file), reference) === copy ? [copy] : [];
  });
  const schema = await readFile(schemaFile("roster"), "utf8");
  const found = [...new Set(named)].map(async (path): Promise<StaleCopy[]> => {
    const before = await textOf(path);
    const file = relative(host.cwd, path);
    return before === schema ? [] : [{ file, after: schema, ...(before === undefined ? {} : { before }) }];
  });
  return (await Promise.all(found)).flat();
}

/** Undefined where nothing is there; what cannot be read counts as another text. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path, maxFileBytes)).toString("utf8");
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : "";
  }
}

export async function writeCopies(copies: readonly StaleCopy[], host: Host): Promise<Result<undefined, RosterError>> {
  for (const { file, before, after } of copies) {
    const copy = { file, bytes: encode(after) };
    const written = before === undefined ? await createFile(copy, host) : await replaceFiles([copy], host);
    if (!written.ok) return written;
  }
  return success(undefined);
}

/** Where a schema lies, in the package that runs. */
export function schemaFile(name: SchemaName): string {
  return join(installedPackage().directory, `schemas/${name}.schema.json`);
}

/**
 * The schema as seen from a file, where the package is installed in a project around the file, so that everybody who
 * has the project has it there. Undefined where the package is elsewhere on this machine.
 */
export function bundledSchema(name: SchemaName, file: string): string | undefined {
  const { directory } = installedPackage();
  const [project = directory] = directory.split(`${sep}node_modules${sep}`);
  if (!resolve(file).startsWith(project + sep)) return undefined;
  return relative(dirname(resolve(file)), schemaFile(name))
    .split(sep)
    .join("/");
}
