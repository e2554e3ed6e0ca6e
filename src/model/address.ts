import { domainToASCII, domainToUnicode } from "node:url";

declare const folded: unique symbol;

/** An e-mail address folded for comparison only. Addresses are sent as they were written. */
export type EmailKey = string & { readonly [folded]: true };

/** Two addresses with one folded form belong to one person. Before the `@` only ASCII is folded. */
export function foldAddress(address: string): EmailKey {
  if (folds.test(address)) return address as EmailKey;
  // White space of other kinds may belong to another person's address.
  const text = address.replace(/^[ \t-\r]+/, "").replace(/(?<![ \t-\r])[ \t-\r]+$/, "");
  const at = text.lastIndexOf("@");
  const folded = at < 0 ? foldAscii(text) : `${foldAscii(text.slice(0, at))}@${foldDomain(text.slice(at + 1))}`;
  return folded as EmailKey;
}

/** Visible ASCII without capital letters: such an address is its own folded form. */
const folds = /^[!-@[-~]*$/;

/** In characters. The service may show longer ones: they are nobody's of a roster, and near to nobody's. */
export const maxAddressLength = 254;

/** Why no user is created with this address, as the end of a sentence about it; undefined where nothing is wrong. */
export function unsafeAddressReason(address: string): string | undefined {
  if (usual.test(address)) return undefined;
  const [local, domain, ...more] = address.split("@");
  if (local === undefined || domain === undefined) return "has no `@`";
  if (more.length > 0) return "has more than one `@`";
  // What a URL, a header, a list of addresses or a shell could read as something else, and what nobody can see.
  const forbidden = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}/?#%\\:"<>(),;[\]]/u.exec(address)?.[0];
  // Some programs read a full-width letter and the like as the plain one, which makes it another person's address.
  const character = forbidden ?? [...address].find((one) => becomesAscii(one, one.normalize("NFKC")));
  if (character !== undefined) return `contains ${showCharacter(character)}`;
  return addressPartProblem(local, "name before the `@`") ?? domainProblem(domain);
}

/** A domain such as `localhost`: it is often a slip of the hand, and in some networks it is right. */
export function hasSingleLabelDomain(address: string): boolean {
  return !address.slice(address.lastIndexOf("@") + 1).includes(".");
}

/** Many mail servers deliver nothing to such an address, and some of its letters look like others. */
export function hasLocalPartBeyondAscii(address: string): boolean {
  return !isAscii(address.slice(0, address.lastIndexOf("@")));
}

/** ASCII words with a single sign between them: nothing of what follows is wrong with it. */
const usual = /^\w+(?:[.+-]\w+)*@\w+(?:[.-]\w+)*$/;

function domainProblem(domain: string): string | undefined {
  // Letters, marks and digits of any language, and the few signs that a domain may have between them.
  const outside = /[^\p{L}\p{M}\p{Nd}._\-\u00b7\u0375\u05f3\u05f4\u3007\u30fb]/u.exec(domain)?.[0];
  const strange = outside ?? [...domain].find((sign) => sign.normalize("NFKC") !== sign.normalize("NFC"));
  if (strange !== undefined) return `contains ${showCharacter(strange)} in its domain`;
  const labels = domain.split(".");
  const faults = labels.map((label) =>
    addressPartProblem(label, labels.length === 1 ? "domain" : "part of its domain"),
  );
  return faults.find((fault) => fault !== undefined);
}

function addressPartProblem(part: string, what: string): string | undefined {
  if (part === "") return `has an empty ${what}`;
  if (part.startsWith(".") || part.endsWith(".")) return `has a ${what} that begins or ends with a dot`;
  if (part.startsWith("-") || part.endsWith("-")) return `has a ${what} that begins or ends with a hyphen`;
  return part.includes("..") ? `has a ${what} with two dots in a row` : undefined;
}

function showCharacter(character: string): string {
  if (character === " ") return "a space";
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  if (/[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(character)) return `the character ${code}`;
  return isAscii(character) ? `\`${character}\`` : `\`${character}\` (${code})`;
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A domain as it stands in folded addresses, so that both spellings of an international name are one. */
export function foldDomain(domain: string): string {
  return isAscii(domain) ? foldAscii(domain) : domain.split(".").map(foldLabel).join(".");
}

/** A label that Unicode or IDNA would turn into another one keeps its characters: it is another domain. A text of more than 255 is no label. */
function foldLabel(label: string): string {
  if (isAscii(label) || label.length > 255) return foldAscii(label);
  if ([...label].some((character) => becomesAscii(character, lowerCase(character.normalize("NFC")))))
    return foldAscii(label);
  const plain = lowerCase(label.normalize("NFC")).normalize("NFC");
  const ascii = domainToASCII(plain);
  return domainToUnicode(ascii) === plain ? ascii : plain;
}

/** Letter by letter: a sigma is the same wherever it stands in a word. */
function lowerCase(text: string): string {
  return [...text].map((letter) => letter.toLowerCase()).join("");
}

/** Whether a character beyond ASCII comes to hold an ASCII one, as the Kelvin sign does. */
function becomesAscii(character: string, other: string): boolean {
  return !isAscii(character) && /\p{ASCII}/u.test(other);
}

function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}

/** The candidate that was most likely meant. Of two addresses the parts before the `@` must be near each other too. */
export function closestMatch(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxAddressLength) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bound = maxEditDistance(wanted);
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > bound) continue;
    const slips = editDistance(wanted, candidate.toLowerCase(), bound);
    if (slips > bound || !haveSimilarLocalParts(wanted, candidate.toLowerCase())) continue;
    best = candidate;
    bound = slips - 1;
  }
  return best;
}

function maxEditDistance(text: string): number {
  return Math.min(3, Math.floor(text.length / 3));
}

function haveSimilarLocalParts(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => /([^:/@]*)@[^@]*$/u.exec(text)?.[1]);
  if (a === undefined || b === undefined) return true;
  const bound = Math.max(1, maxEditDistance(a));
  return editDistance(a, b, bound) <= bound;
}

/** Damerau-Levenshtein, each letter edited once. Infinite above `most`, so that only the diagonal is computed. */
export function editDistance(a: string, b: string, most: number): number {
  const at = (line: readonly number[], column: number) => line[column] ?? Number.POSITIVE_INFINITY;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: Math.min(b.length, most) + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line: number[] = [];
    for (let column = Math.max(0, row - most); column <= Math.min(b.length, row + most); column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = isSwapped ? at(beforeLast, column - 2) : Number.POSITIVE_INFINITY;
      line[column] = Math.min(1 + Math.min(at(last, column), at(line, column - 1), swap), at(last, column - 1) + same);
    }
    beforeLast = last;
    last = line;
  }
  const slips = at(last, b.length);
  return slips > most ? Number.POSITIVE_INFINITY : slips;
}

/** Of a person's, a team's, a group's or a role set's name, in characters. */
export const maxNameLength = 200;

export function localPartOf(address: EmailKey): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? address : address.slice(0, at);
}

export function isLongerThan(most: number, text: string): boolean {
  return text.length > 2 * most || (text.length > most && [...text].length > most);
}

export function isWithinOneEdit(one: string, other: string): boolean {
  return one.length <= maxAddressLength && Math.abs(one.length - other.length) <= 1 && editDistance(one, other, 1) <= 1;
}

/** The text itself, and with one letter less: two texts within one edit share one of them. None of a text that is too long. */
export function oneEditSignatures(text: string): ReadonlySet<string> {
  if (text.length > maxAddressLength) return new Set();
  return new Set([text, ...text.split("").map((_, at) => text.slice(0, at) + text.slice(at + 1))]);
}
