import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { Written } from "../draft.ts";
import type { RosterFaultCode } from "../fault-code.ts";
import type { Resolution } from "../resolution.ts";

interface Kind {
  readonly what: string;
  readonly code: RosterFaultCode;
}

/** Groups and role sets hold for the whole roster, so each name is given once in all its files. */
export function duplicateNames({ draft }: Resolution, log: Complaints): void {
  tellDuplicates(draft.groups, { what: "group", code: "duplicate-group" }, log);
  tellDuplicates(draft.roleSets, { what: "role set", code: "duplicate-role-set" }, log);
}

function tellDuplicates(named: readonly { readonly name: Written<string> }[], kind: Kind, log: Complaints): void {
  const seen = new Map<string, Written<string>>();
  for (const { name } of named) {
    const first = seen.get(name.value);
    if (first === undefined) {
      seen.set(name.value, name);
      continue;
    }
    const message = `The ${kind.what} \`${name.value}\` is defined twice; the first time at ${showPlace(first.at.place)}.`;
    log.error(name.at, kind.code, message, "Join the two, or give one of them another name.");
  }
}
