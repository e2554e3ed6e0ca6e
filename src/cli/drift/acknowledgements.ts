import { resolve } from "node:path";
import { readRegularFile, UnusableFileError, whyUnread } from "../../files/regular-file.ts";
import { invalidInput, invalidSetting, type RosterError } from "../../library/error.ts";
import type { Acknowledgement } from "../../model/drift.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { isDate } from "../../model/roster.ts";
import { andThen, type Decoder, decode, list, object, optional, required, text } from "../../yaml/decode.ts";
import { collectDiagnostics } from "../../yaml/diagnostics.ts";
import { appendToList, type ListEntryFields, replaceValues } from "../../yaml/edit.ts";
import { readYaml, type YamlDocument } from "../../yaml/read.ts";
import { fileTooLarge, maxFileBytes, type Node } from "../../yaml/source-text.ts";
import { writeScalar } from "../../yaml/write.ts";
import { type Host, isPipeline } from "../host.ts";
import { createFile, replaceFiles } from "../planning/write-files.ts";
import type { Settings } from "../settings/settings.ts";
import { checkoutAround, placementOf, trustsCheckout } from "../trust/checkout.ts";

/** The file in which people acknowledge what differs. */
export interface AcknowledgementsFile {
  /** As shown to a person. */
  readonly file: string;
  /** Absent where there is no such file yet. */
  readonly bytes?: Uint8Array;
  readonly acknowledgements: readonly Acknowledgement[];
  /** `ordinary`: with CI set, everybody who can change the checkout could silence what is guarded. */
  readonly for: "everything" | "ordinary";
}

/** Reads it, or says what is wrong with it. One that nobody named need not be there. */
export async function readAcknowledgements(
  { acknowledgements: named, file: settings }: Pick<Settings, "acknowledgements" | "file">,
  host: Host,
): Promise<Result<AcknowledgementsFile, RosterError>> {
  const { value: file, from } = named;
  const path = resolve(host.cwd, file);
  const standing = await placementOf(path, await checkoutAround(host));
  const isGuarded = isPipeline(host) && !trustsCheckout(host);
  const chosenByCheckout = from !== "flag" && (settings === undefined || settings.insideCheckout);
  if (isGuarded && (standing.leadsOut || (chosenByCheckout && !standing.isInside))) return problem(leadsOut(file));
  const read = await readBytes(path, file);
  if (!read.ok) return read;
  const about = { file, for: isGuarded && standing.isEditable ? "ordinary" : "everything" } as const;
  if (read.value === undefined) return success({ ...about, acknowledgements: [] });
  const decoded = decodeAcknowledgements(readYaml(file, read.value));
  if (!decoded.ok) return problem(invalidInput(decoded.error));
  return success({ ...about, bytes: read.value, acknowledgements: decoded.value });
}

async function readBytes(path: string, file: string): Promise<Result<Uint8Array | undefined, RosterError>> {
  try {
    return success(await readRegularFile(path, maxFileBytes));
  } catch (error) {
    if (error instanceof UnusableFileError && error.code === "EFBIG")
      return problem(invalidInput([fileTooLarge(file, maxFileBytes)]));
    const why = whyUnread(error);
    if (why === "ENOENT") return success(undefined);
    const message = `The acknowledgements ${file} cannot be read: ${why}.`;
    return problem(invalidSetting("unreadable-file", message, "Repair the file, or name another one."));
  }
}

function leadsOut(file: string): RosterError {
  return invalidSetting(
    "untrusted",
    `CI is set, and the acknowledgements file ${file} is outside the checkout. A change to the checkout could choose which file is read.`,
    "Put them into the checkout, name them with --acknowledgements, or set ROSTER_TRUST_SETTINGS=1.",
  );
}

/** Decodes a file of acknowledgements, or says everything that is wrong with it. An empty file acknowledges nothing. */
function decodeAcknowledgements({
  tree,
  diagnostics,
}: YamlDocument): Result<readonly Acknowledgement[], readonly Diagnostic[]> {
  const title = "The file of acknowledgements";
  const log = collectDiagnostics({ subject: title });
  const file = tree === undefined ? undefined : decode(acknowledgementsFile, tree, { log, title });
  const faults = [...diagnostics, ...log.diagnostics()];
  return faults.length > 0 ? problem(faults) : success(file?.acknowledgements ?? []);
}

const version: Decoder<1> = (cursor) => {
  const { node } = cursor;
  if (node.kind === "scalar" && node.text === "1") return 1;
  return cursor.fault(`${cursor.name} must be the number 1.`, "Write `version: 1`.");
};

/** One of digits alone is a number to YAML, and is written as it is meant all the same. */
const fingerprint: Decoder<string> = (cursor) => {
  const { node } = cursor;
  const written = node.kind === "scalar" ? node.text : "";
  if (/^[0-9a-f]{16}$/u.test(written)) return written;
  return cursor.fault(`${cursor.name} must have 16 digits from 0 to f.`);
};

const date = andThen(text, (written, cursor) =>
  isDate(written) ? written : cursor.fault(`${cursor.name} must be a date, such as 2026-12-31.`),
);

const entry = object(
  {
    fingerprint: required(fingerprint),
    code: required(text),
    subject: required(text),
    until: required(date),
    reason: required(text),
    by: required(text),
    at: required(date),
  },
  { hint: "`roster drift acknowledge` writes entries that are whole." },
);

const entries = list(andThen(entry, (fields, { node }): Acknowledgement => ({ ...fields, place: node.place })));

const acknowledgementsFile = object(
  {
    version: required(version),
    acknowledgements: optional((cursor) => (isNothing(cursor.node) ? [] : entries(cursor))),
  },
  { hint: "Begin the file with `version: 1`." },
);

function isNothing(node: Node): boolean {
  return node.kind === "scalar" && node.type === "null";
}

export type NewAcknowledgement = Omit<Acknowledgement, "place">;

const fileHeader = `# Accepted differences, each with an end date. \`roster drift acknowledge\` adds entries. Review every change.
# An entry needs its fingerprint, code and subject. \`roster drift\` reports entries that have ended or are not needed.
version: 1
`;

/** Adds an acknowledgement, or renews the one of the same fingerprint; comments, order and all else stay as they are. */
export async function writeAcknowledgement(
  { file, bytes, acknowledgements }: AcknowledgementsFile,
  said: NewAcknowledgement,
  host: Host,
): Promise<Result<"added" | "renewed", RosterError>> {
  const known = acknowledgements.findLast(({ fingerprint }) => fingerprint === said.fingerprint);
  const before = bytes ?? new TextEncoder().encode(fileHeader);
  const after =
    known === undefined
      ? appendToList(before, "acknowledgements", writtenFields(said))
      : replaceValues(before, known.place, changedFields(known, said));
  if (after === undefined || !readsBack(after, said)) return problem(writeByHand(file, said));
  const written =
    bytes === undefined
      ? await createFile({ file, bytes: after }, host)
      : await replaceFiles([{ file, bytes: after }], host);
  return written.ok ? success(known === undefined ? "added" : "renewed") : written;
}

function writtenFields({ fingerprint, code, subject, until, reason, by, at }: NewAcknowledgement): ListEntryFields {
  return Object.entries({ fingerprint, code, subject, until, reason, by, at });
}

function changedFields(known: NewAcknowledgement, said: NewAcknowledgement): ListEntryFields {
  const before = new Map(writtenFields(known));
  return writtenFields(said).filter(([key, value]) => before.get(key) !== value);
}

/** Whether the file reads back as it is meant. */
function readsBack(bytes: Uint8Array, said: NewAcknowledgement): boolean {
  const decoded = decodeAcknowledgements(readYaml("", bytes));
  if (!decoded.ok) return false;
  const last = decoded.value.findLast(({ fingerprint }) => fingerprint === said.fingerprint);
  return last !== undefined && changedFields(last, said).length === 0;
}

function writeByHand(file: string, said: NewAcknowledgement): RosterError {
  const entry = writtenFields(said).map(([key, value]) => `${key}: ${writeScalar(value)}`);
  return invalidSetting(
    "acknowledgements-not-editable",
    `${file} is written in a way that nothing can be added to without changing more. Nothing was written.`,
    `Write the entry by hand, under \`acknowledgements:\`: { ${entry.join(", ")} }`,
  );
}
