declare const folded: unique symbol;

/** An e-mail address folded for comparison only. Addresses are sent as they were written. */
export type FoldedAddress = string & { readonly [folded]: true };

/**
 * Two addresses with one folded form are one person's. The local part is folded in ASCII only, so that no
 * letter changes its length or language; the domain is a name of the DNS, compared in its ASCII form.
 */
export function foldAddress(address: string): FoldedAddress {
  const at = address.lastIndexOf("@");
  if (at < 0) return foldAscii(address.trim()) as FoldedAddress;
  const local = foldAscii(address.slice(0, at).trim());
  return `${local}@${foldDomain(address.slice(at + 1).trim())}` as FoldedAddress;
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function foldDomain(domain: string): string {
  if (isAscii(domain)) return foldAscii(domain);
  try {
    return new URL(`http://${domain.normalize("NFC")}`).hostname;
  } catch {
    return foldAscii(domain.normalize("NFC"));
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

/** Lenient on purpose: never stricter than a service may be, only enough to catch a slip of the hand. */
export function looksLikeAddress(text: string): boolean {
  return /^[^\s@<>(),;:\\"[\]]+@[^\s@<>(),;:\\"[\]]+$/u.test(text) || /^"[^"\r\n]+"@[^\s@]+$/u.test(text);
}
