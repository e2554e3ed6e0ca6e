import type { Place } from "./fact.ts";
import { formatSubject, type Subject } from "./subject.ts";

export interface AcceptEntry {
  readonly code: string;
  readonly reason: string;
  /** The last day on which it counts, as in `2026-12-31` (UTC). */
  readonly until: string;
  readonly place: Place;
}

export interface Acceptable {
  /** The entry that accepts it, but for its reason. Absent where nobody can. */
  readonly accept?: Pick<AcceptEntry, "code" | "until">;
  /** `isOver`: its last day has passed. */
  readonly accepted?: AcceptEntry & { readonly isOver: boolean };
}

export function isAccepted({ accepted }: Acceptable): boolean {
  return accepted?.isOver === false;
}

const guardedPrefix = "guarded:";
const maxSubjectLength = 500;

/**
 * How an entry names what it accepts: code, subject and the first 12 digits of its fingerprint, so that a reviewer sees what is meant. Where a privileged role or
 * a guard is involved, the code says so: an entry for something harmless does not cover it when it is harmless no more.
 */
export function acceptCode(
  { code, subject, fingerprint }: { readonly code: string; readonly subject: Subject; readonly fingerprint: string },
  is: "guarded" | "ordinary",
): string {
  const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu;
  const name = formatSubject(subject).slice(0, maxSubjectLength).replace(hidden, "?");
  return `${is === "guarded" ? guardedPrefix : ""}${code}:${name}#${fingerprint.slice(0, 12)}`;
}

export function isAcceptCode(text: string): boolean {
  return /^(?:guarded:)?[a-z-]+:.+#[0-9a-f]{12}$/.test(text);
}

export function isGuardedCode(code: string): boolean {
  return code.startsWith(guardedPrefix);
}

export function maxAcceptDays(code: string): number {
  return isGuardedCode(code) ? 30 : 366;
}
