import type { RunEvent } from "../model/run-event.ts";
import { crc32 } from "./checksum.ts";

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
  return encodeEntry(event);
}

function encodeEntry(entry: object): string {
  const text = JSON.stringify(entry);
  return `{"sum":"${crc32(text)}","entry":${text}}\n`;
}
