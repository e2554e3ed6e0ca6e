import { type FoldedAddress, foldAddress } from "../../model/address.ts";
import { foldName } from "../../model/team.ts";
import { address, textProblem } from "../../roster/decode-text.ts";
import {
  andThen,
  type Cursor,
  type Decoder,
  list,
  object,
  optional,
  required,
  text,
  wholeNumber,
} from "../../yaml/decode.ts";
import { readPublicKey, type SignerKey } from "./ssh-signature.ts";

/** A key with which a person may sign plan files. At least one of `name` and `email` is there. */
export interface Signer {
  readonly name?: string;
  readonly email?: FoldedAddress;
  readonly key: SignerKey;
}

/** Who may approve plan files, and how many of them each plan needs. */
export interface ApprovalRules {
  readonly signers: readonly Signer[];
  readonly needed: NeededApprovals;
}

export interface NeededApprovals {
  readonly default: number;
  /** Of a plan that changes privileged roles. Never less than `default`. */
  readonly privileged: number;
}

/** Who wrote a commit, as the commit says. */
export interface Author {
  readonly name?: string;
  readonly email?: FoldedAddress;
}

export function signerName({ name, email, key }: Signer): string {
  return name ?? email ?? key.fingerprint;
}

/** One person may have several keys: entries that share a name or an address are one person. */
export function groupByPerson(signers: readonly Signer[]): readonly (readonly Signer[])[] {
  let people: readonly (readonly Signer[])[] = [];
  for (const signer of signers) {
    const same = people.filter((person) => person.some((one) => isSamePerson(one, signer)));
    people = [...people.filter((person) => !same.includes(person)), [...same.flat(), signer]];
  }
  return people;
}

export function isSamePerson(one: Author, other: Author): boolean {
  if (one.email !== undefined && one.email === other.email) return true;
  return one.name !== undefined && other.name !== undefined && foldName(one.name) === foldName(other.name);
}

/** Whether a signature counts, and why not. `repeated`: the same person has signed before. */
export type ApprovalStanding = "counted" | "author" | "repeated";

/** What each valid signature counts for: every person once, and nobody who wrote the change. */
export function countApprovals(
  signed: readonly Signer[],
  { signers }: Pick<ApprovalRules, "signers">,
  authors: readonly Author[],
): readonly ApprovalStanding[] {
  const people = groupByPerson(signers);
  const seen = new Set<readonly Signer[] | undefined>();
  return signed.map(({ key }) => {
    const person = people.find((keys) => keys.some((one) => one.key.blob === key.blob));
    if (person?.some((one) => authors.some((author) => isSamePerson(one, author)))) return "author";
    if (seen.has(person)) return "repeated";
    seen.add(person);
    return "counted";
  });
}

/** Reads `NAME <ADDRESS>`, or a name alone. */
export function readAuthor(written: string): Author {
  const [, name = written, email = ""] = /^([^<]*)<([^<>]*)>\s*$/u.exec(written) ?? [];
  return {
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(email.trim() === "" ? {} : { email: foldAddress(email.trim()) }),
  };
}

/** Who may approve plan files, as a settings file writes it. */
export interface WrittenApprovals {
  readonly signers?: readonly Signer[];
  readonly approvals?: { readonly default: number; readonly privileged?: number };
}

const personName: Decoder<string> = andThen(text, (written, cursor) => {
  const wrong = textProblem(written) ?? (/\p{Cf}/u.test(written) ? "contains an invisible character" : undefined);
  return wrong === undefined ? written : cursor.fault("bad-text", `${cursor.name} ${wrong}.`);
});

const personAddress: Decoder<FoldedAddress> = andThen(address, (found) => found.address);

const publicKey = andThen(text, (written, cursor) => {
  const key = readPublicKey(written);
  return key.ok ? key.value : cursor.secretFault("bad-text", `${cursor.name} ${key.error}.`, keyHint);
});

const keyHint = "Copy the whole line of a file such as ~/.ssh/id_ed25519.pub.";

const signer: Decoder<Signer> = andThen(
  object(
    { name: optional(personName), email: optional(personAddress), key: required(publicKey) },
    { title: "A signer", hint: 'Write `{ email: ada@acme.example, key: "ssh-ed25519 AAAA…" }`.' },
  ),
  (one, cursor) => {
    const keys = cursor.node.kind === "map" ? cursor.node.entries.map(({ key }) => key.text) : [];
    if (keys.includes("name") || keys.includes("email")) return one;
    return cursor.fault("missing-key", "A signer needs `name` or `email`.", "Add the address of the person.");
  },
);

export const signers: Decoder<readonly Signer[]> = andThen(list(signer, "not-empty"), (all, cursor) => {
  const twice = all.find(({ key }, at) => all.findIndex((one) => one.key.blob === key.blob) !== at);
  if (twice === undefined) return all;
  return cursor.fault("bad-text", `${cursor.name} lists the key ${twice.key.fingerprint} twice.`, "Remove one entry.");
});

const mostApprovals = 20;

export const approvals = object({
  default: optional(wholeNumber({ least: 0, most: mostApprovals }), 1),
  privileged: optional(wholeNumber({ least: 1, most: mostApprovals })),
});

/** Refuses numbers of approvals that no plan can get, and names without a rule: nothing that is written is passed over. */
export function withReachableApprovals<T extends WrittenApprovals>(settings: T, cursor: Cursor): T | undefined {
  const { node } = cursor;
  const named = new Map((node.kind === "map" ? node.entries : []).map((entry) => [entry.key.text, entry]));
  const [list, rule] = [named.get("signers"), named.get("approvals")];
  if (list !== undefined && rule === undefined)
    return cursor.entry(list).fault("missing-key", "`signers` has no effect without `approvals`.", rulesHint);
  if (rule === undefined) return settings;
  const at = cursor.entry(rule);
  if (list === undefined)
    return at.fault("missing-key", "`approvals` needs `signers`.", "List who may sign plan files.");
  const rules = approvalRulesOf(settings);
  if (rules === undefined) return settings;
  const { needed } = rules;
  if (needed.privileged < needed.default)
    return at.fault(
      "bad-number",
      "`approvals.privileged` is less than `approvals.default`.",
      "Write the same number or more.",
    );
  const people = groupByPerson(rules.signers).length;
  if (people >= needed.privileged) return settings;
  const message = `Some plans need ${needed.privileged} approvals, but \`signers\` lists ${people === 1 ? "1 person" : `${people} people`}.`;
  return at.fault("bad-number", message, "Add signers, or write a smaller number for `privileged`.");
}

const rulesHint = "Add `approvals: { default: 1, privileged: 2 }`.";

/** The rules in force; undefined where plans need no approvals. */
export function approvalRulesOf({ signers: all, approvals: written }: WrittenApprovals): ApprovalRules | undefined {
  if (all === undefined || written === undefined) return undefined;
  const needed: NeededApprovals = {
    default: written.default,
    privileged: written.privileged ?? Math.max(written.default, usualPrivileged),
  };
  return { signers: all, needed };
}

/** Two people look at each change of privileged roles. */
const usualPrivileged = 2;
