import type { FoldedAddress } from "../model/address.ts";

/** The form of an address that only whoever has the key finds again: nobody can have one in this domain (RFC 2606). */
export function pseudonymAddress(hash: string): FoldedAddress {
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
