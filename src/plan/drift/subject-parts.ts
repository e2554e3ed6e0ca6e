import { type FoldedAddress, foldAddress } from "../../model/address.ts";
import type { TeamKey } from "../../model/team.ts";

/** What a subject names, read back from its text. */
export type ParsedSubject =
  | { readonly of: "user"; readonly address: FoldedAddress }
  | { readonly of: "member"; readonly address: FoldedAddress; readonly team: TeamKey }
  | { readonly of: "key"; readonly prefix: string }
  | { readonly of: "something-else" };

/** The inverse of `userSubject`, `memberSubject` and `keySubject`. */
export function parseSubject(subject: string): ParsedSubject {
  const [, of, rest = ""] = /^(user|member|key) (.+)$/su.exec(subject) ?? [];
  switch (of) {
    case "user":
      return { of, address: foldAddress(rest) };
    case "member": {
      const between = " of team ";
      const at = rest.indexOf(between);
      const team = rest.slice(at + between.length) as TeamKey;
      return { of, address: foldAddress(rest.slice(0, at)), team };
    }
    case "key":
      return { of, prefix: rest };
    default:
      return { of: "something-else" };
  }
}
