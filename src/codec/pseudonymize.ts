import { type FoldedAddress, foldAddress } from "../model/address.ts";

/** How addresses, and what may give them away, are written anew throughout a snapshot and a state. */
export interface AddressRewriter {
  address(address: FoldedAddress): FoldedAddress;
  /** The address as it is written; `address` is its folded form. */
  email(email: string, address: FoldedAddress): string;
  /** The service's own identifier of a user, which may be an address. */
  identifier(identifier: string): string;
  /** A sentence, or the id of an action. */
  text(text: string): string;
  /** The digest of a request, which names people. */
  digest(digest: string): string;
  /** Names, titles and the like. */
  readonly profiles: "kept" | "left-out";
}

/** A keyed digest of a text, in hexadecimal: HMAC-SHA-256 in production. `of` keeps the uses of one key apart. */
export type KeyedHash = (of: "address" | "digest" | "check", text: string) => string;

/**
 * Hides each address behind one that stands for it wherever the same key is used. `known`: addresses that texts may name, since an
 * unusual one, such as one with a colon, does not look like an address within a text.
 */
export function pseudonymize(hash: KeyedHash, known: Iterable<string> = []): AddressRewriter {
  const within = addressOrKnown(known);
  const hidden = new Map<FoldedAddress, FoldedAddress>();
  const address = (plain: FoldedAddress) => {
    const known = hidden.get(plain) ?? pseudonymAddress(hash("address", plain));
    hidden.set(plain, known);
    return known;
  };
  return {
    address,
    email: (_, folded) => address(folded),
    identifier: (identifier) => (identifier.includes("@") ? address(foldAddress(identifier)) : identifier),
    text: (text) => text.replace(within, (found) => address(foldAddress(found))),
    digest: (digest) => hashedDigest(hash, digest),
    profiles: "left-out",
  };
}

/** The longest first: one may be the end of another. */
function addressOrKnown(known: Iterable<string>): RegExp {
  const unusual = [...known].filter((one) => one.includes("@") && one.match(addressPattern)?.[0] !== one);
  const longestFirst = unusual.sort((a, b) => b.length - a.length);
  const literal = longestFirst.map((one) => one.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&"));
  return new RegExp([...literal, addressPattern.source].join("|"), "gu");
}

/** What stands for the digest of a request where addresses are hidden. */
export function hashedDigest(seal: KeyedHash, digest: string): string {
  return seal("digest", digest).slice(0, 16);
}

/** Tells whether two runs have the same key, and nothing of the key. */
export function hashKeyCheck(seal: KeyedHash): string {
  return seal("check", "").slice(0, 16);
}

/** Finds the hidden addresses of known people again; all others stay hidden. `known`: addresses as they are written. */
export function reidentify(seal: KeyedHash, known: Iterable<string>): AddressRewriter {
  const plain = new Map<string, { readonly address: FoldedAddress; readonly email: string }>();
  for (const email of known) {
    const address = foldAddress(email);
    const hidden = pseudonymAddress(seal("address", address));
    // Of several spellings the first one counts.
    if (!plain.has(hidden)) plain.set(hidden, { address, email });
  }
  const address = (hidden: FoldedAddress) => plain.get(hidden)?.address ?? hidden;
  return {
    address,
    email: (email, hidden) => plain.get(hidden)?.email ?? email,
    identifier: (identifier) => (isPseudonym(identifier) ? (plain.get(identifier)?.address ?? identifier) : identifier),
    text: (text) => text.replace(pseudonymPattern, (found) => plain.get(found)?.address ?? found),
    digest: (digest) => digest,
    profiles: "kept",
  };
}

/** The form of an address that is found again only with the key. Nobody can have one in this domain (RFC 2606). */
function pseudonymAddress(hash: string): FoldedAddress {
  return `someone-${hash.slice(0, 16)}@hidden.invalid` as FoldedAddress;
}

export function isPseudonym(address: string): boolean {
  return /^someone-[0-9a-f]{16}@hidden\.invalid$/u.test(address);
}

/** Every hidden address within a text. */
export const pseudonymPattern = /someone-[0-9a-f]{16}@hidden\.invalid/gu;

/** Whatever within a text may be an address, an international one and a quoted one as well. */
export const addressPattern =
  /(?:"[^"\r\n]+"|[^\s@<>(),;:\\"`[\]][^\s@<>(),;:\\"[\]]*)@[^\s@<>(),;:\\"[\]]*[^\s@<>(),;:\\"`[\].]/gu;
