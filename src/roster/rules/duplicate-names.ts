import { formatPlace } from "../../model/place.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { SourceValue } from "../draft.ts";
import type { RosterDiagnosticCode } from "../fault-code.ts";
import type { ResolvedRoster } from "../resolution.ts";

interface NamedKind {
  readonly what: string;
  readonly code: RosterDiagnosticCode;
}

/** Groups and role sets hold for the whole roster, so each name is given once in all its files. */
export function checkDuplicateNames({ draft }: ResolvedRoster, log: DiagnosticsCollector): void {
  reportDuplicateNames(draft.groups, { what: "group", code: "duplicate-group" }, log);
  reportDuplicateNames(draft.roleSets, { what: "role set", code: "duplicate-role-set" }, log);
}

function reportDuplicateNames(
  named: readonly { readonly name: SourceValue<string> }[],
  kind: NamedKind,
  log: DiagnosticsCollector,
): void {
  const seen = new Map<string, SourceValue<string>>();
  for (const { name } of named) {
    const first = seen.get(name.value);
    if (first === undefined) {
      seen.set(name.value, name);
      continue;
    }
    const message = `The ${kind.what} \`${name.value}\` is defined twice; the first time at ${formatPlace(first.at.place)}.`;
    log.error(name.at, kind.code, message, "Join the two, or give one of them another name.");
  }
}
