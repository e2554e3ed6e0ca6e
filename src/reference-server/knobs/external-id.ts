import { choice, type ValueOf } from "./knob.ts";

export const externalId = choice("What external identifier a new user has.", "keep", {
  keep: "the one that was sent, else none",
  email: "the address, whatever was sent",
});

export function keptExternalId(
  how: ValueOf<typeof externalId>,
  sent: { readonly externalIdentifier?: string | undefined; readonly email: string },
): string | undefined {
  return how === "email" ? sent.email : sent.externalIdentifier;
}
