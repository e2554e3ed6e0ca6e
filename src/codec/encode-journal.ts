import type { RunEvent } from "../model/event.ts";
import type { Finding } from "../model/finding.ts";
import { type Basis, formatSubject } from "../model/subject.ts";

/** The version of the format that this program writes, and the newest that it reads. */
export const journalVersion = 1;

/** The first line of a journal: which version of which state its events come after. */
export interface JournalStart {
  readonly lineage: string;
  readonly serial: number;
}

export function encodeJournalStart({ lineage, serial }: JournalStart): string {
  return encodeEntry({ type: "journal-started", version: journalVersion, lineage, serial });
}

/** One line with its checksum and its line feed. */
export function encodeJournalLine(event: RunEvent): string {
  return encodeEntry(event.type === "found" ? { ...event, finding: writtenFinding(event.finding) } : event);
}

/** A finding as a journal has it: what it is about stands there as text. */
export type WrittenFinding = Omit<Finding, "subject" | "restsOn"> & {
  readonly subject: string;
  readonly restsOn: readonly (Omit<Basis, "about"> & { readonly about: string })[];
};

function writtenFinding(finding: Finding): WrittenFinding {
  const restsOn = finding.restsOn.map((basis) => ({ ...basis, about: formatSubject(basis.about) }));
  return { ...finding, subject: formatSubject(finding.subject), restsOn };
}

function encodeEntry(entry: object): string {
  const text = JSON.stringify(entry);
  return `{"sum":"${crc32(text)}","entry":${text}}\n`;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

const encoder = new TextEncoder();

/** The CRC-32 of a text in UTF-8, as eight hexadecimal digits: finds torn and damaged lines, not forged ones. */
export function crc32(text: string): string {
  let value = 0xffffffff;
  for (const byte of encoder.encode(text)) value = (value >>> 8) ^ (crcTable[(value ^ byte) & 0xff] ?? 0);
  return ((value ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}
