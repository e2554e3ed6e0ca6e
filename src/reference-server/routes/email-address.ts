/** Whether this service sends mail to an address: to one that every program on the way reads in the same way. */
export function isDeliverable(email: string): boolean {
  const [local, domain, ...rest] = email.split("@");
  if (local === undefined || domain === undefined || rest.length > 0) return false;
  return isVisible(email) && isLocalPart(local) && domain.split(".").every(isHostLabel);
}

/** As in RFC 6531, without the signs by which URLs begin a new part. */
function isLocalPart(text: string): boolean {
  const atom = /^(?:[A-Za-z0-9!$&'*+=^_`{|}~-]|[^\p{ASCII}])+$/u;
  return text.split(".").every((part) => atom.test(part)) && !/^-|-$/u.test(text) && !hasAsciiLookalike(text);
}

/** A name that a host can have, in the letters of any language and in their plain form. */
function isHostLabel(text: string): boolean {
  const label = /^[\p{L}\p{M}\p{Nd}_〇·͵׳״・-]+$/u;
  return (
    label.test(text) &&
    !/^-|-$/u.test(text) &&
    !hasAsciiLookalike(text) &&
    text.normalize("NFKC") === text.normalize("NFC")
  );
}

/** A sign that only normalising makes an ASCII one, such as a full-width letter. */
function hasAsciiLookalike(text: string): boolean {
  return [...text].some((sign) => !/\p{ASCII}/u.test(sign) && /\p{ASCII}/u.test(sign.normalize("NFKC")));
}

function isVisible(text: string): boolean {
  return !/[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text);
}
