import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Acknowledgement } from "../../model/drift.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { appendToList, type ListEntryFields, replaceValues } from "../../yaml/edit.ts";
import { readYaml } from "../../yaml/read.ts";
import { writeScalar } from "../../yaml/scalar.ts";
import type { Host } from "../host.ts";
import { replaceFiles } from "../replace-files.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import type { AcknowledgementsFile } from "./acknowledgements-file.ts";
import { decodeAcknowledgements } from "./acknowledgements-shape.ts";

export type NewAcknowledgement = Omit<Acknowledgement, "place">;

const fileHeader = `# What is known to differ, and until when that is all right: \`roster drift ack\` adds to it, and a review belongs to it.
# A fingerprint counts together with its code and subject; \`roster drift\` tells when an entry has ended or is not needed.
version: 1
`;

/** Adds an acknowledgement, or renews the one of the same fingerprint; comments, order and all else stay as they are. */
export async function writeAcknowledgement(
  { file, bytes, acknowledgements }: AcknowledgementsFile,
  said: NewAcknowledgement,
  host: Host,
): Promise<Result<"added" | "renewed", CommandError>> {
  const known = acknowledgements.findLast(({ fingerprint }) => fingerprint === said.fingerprint);
  const before = bytes ?? new TextEncoder().encode(fileHeader);
  const after =
    known === undefined
      ? appendToList(before, "acknowledgements", writtenFields(said))
      : replaceValues(before, known.place, changedFields(known, said));
  if (after === undefined || !readsBack(after, said)) return problem(writeByHand(file, said));
  const written =
    bytes === undefined ? await create(file, after, host) : await replaceFiles([{ file, bytes: after }], host);
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

async function create(file: string, bytes: Uint8Array, host: Host): Promise<Result<undefined, CommandError>> {
  const path = resolve(host.cwd, file);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes, { flag: "wx" });
    return success(undefined);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const message = `${file} cannot be written: ${String(error.code)}`;
    return problem({ reason: "failed", problem: { code: "unwritable", message } });
  }
}

function writeByHand(file: string, said: NewAcknowledgement): CommandError {
  const entry = writtenFields(said).map(([key, value]) => `${key}: ${writeScalar(value)}`);
  return invalidSetting(
    "write-by-hand",
    `${file} is written in a way that nothing can be added to without changing more. Nothing was written.`,
    `Write the entry by hand, under \`acknowledgements:\`: { ${entry.join(", ")} }`,
  );
}
