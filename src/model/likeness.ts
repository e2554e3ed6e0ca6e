import type { FoldedAddress } from "./address.ts";

/**
 * A person's name for comparison: decomposed, without marks such as accents, in lower case, without regard to runs of white
 * space. Letters that are letters of their own, such as ø, ł or ß, stay what they are. Undefined where nothing is left.
 */
export function foldPersonName(firstName: string | undefined, lastName: string | undefined): string | undefined {
  const whole = `${firstName ?? ""} ${lastName ?? ""}`.normalize("NFKD").replace(/\p{M}+/gu, "");
  const folded = whole.toLowerCase().trim().replace(/\s+/gu, " ");
  return folded === "" ? undefined : folded;
}

/** What stands before the last `@`. */
export function localPartOf(address: FoldedAddress): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? address : address.slice(0, at);
}

/** What stands behind the last `@`, in ASCII; nothing where there is none. */
export function domainOf(address: FoldedAddress): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? "" : address.slice(at + 1);
}

/** Whether one letter more, less or other, or two neighbours exchanged, or nothing at all, makes one text of the other. */
export function isWithinOneEdit(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  const at = firstDifference(short, long);
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  const exchanged = short[at] === long[at + 1] && short[at + 1] === long[at];
  return exchanged && short.slice(at + 2) === long.slice(at + 2);
}

/** Texts of which two share one wherever they are within one edit: the text itself, and each with one letter less. */
export function oneEditSignatures(text: string): ReadonlySet<string> {
  const near = new Set([text]);
  for (let at = 0; at < text.length; at += 1) near.add(text.slice(0, at) + text.slice(at + 1));
  return near;
}

function firstDifference(short: string, long: string): number {
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  return at;
}
