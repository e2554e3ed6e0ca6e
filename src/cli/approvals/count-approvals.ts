import { type FoldedAddress, foldAddress } from "../../model/address.ts";
import { foldName } from "../../model/team.ts";

/** A key with which a person may sign plan files. At least one of `name` and `email` is there. */
export interface Signer {
  readonly name?: string;
  readonly email?: FoldedAddress;
  readonly key: SignerKey;
}

/** The public part of an SSH key. */
export interface SignerKey {
  /** Such as `ssh-ed25519`. */
  readonly type: string;
  /** The whole key in Base64, as it stands after its type. */
  readonly blob: string;
  /** Such as `SHA256:VUj1+YYpVUJv3roFajrwT8wOuZjnCVTe8suyIOPPf6U`. */
  readonly fingerprint: string;
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
