import type { Knobs } from "../knobs.ts";

export function storedExternalId(
  how: Knobs["externalId"],
  sent: { readonly externalIdentifier?: string | undefined; readonly email: string },
): string | undefined {
  return how === "email" ? sent.email : sent.externalIdentifier;
}
