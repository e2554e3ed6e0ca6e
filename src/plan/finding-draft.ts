import type { Objection } from "../model/allowance.ts";
import type { Finding, FindingKind } from "../model/finding.ts";
import type { DesiredKey } from "../model/key.ts";
import type { OwnedThing } from "../model/roster.ts";
import type { Basis } from "../model/subject.ts";

/** A finding before it is known whether the selection keeps it. */
export interface FindingDraft
  extends Pick<Finding, "code" | "subject" | "roles" | "message" | "because" | "suggestedYaml"> {
  readonly restsOn?: readonly Basis[];
  /** What a person can overrule, so that the plan does it all the same. */
  readonly allow?: readonly Objection[];
  /** Where it is another one than most findings of this code are. */
  readonly kind?: FindingKind | undefined;
  /** Tells it apart from other findings of its code about the same. */
  readonly aspect?: string;
  /** The people and teams that it concerns; empty where it concerns an account or the whole run. */
  readonly concerns: readonly Concern[];
}

/** What a finding is about, for the selection. */
export type Concern = OwnedThing;

/** A key that the roster lists, and the user who holds it. */
export function keyConcern({ prefix, owner }: DesiredKey): Concern {
  return { prefix, address: owner?.value };
}

/** `a`, `a and b`, `a, b and c`. */
export function joinList(words: readonly string[]): string {
  const last = words.at(-1) ?? "nobody";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** A plain or double-quoted YAML scalar that reads back as the text. */
export function yamlScalar(text: string): string {
  const plain =
    /^[\p{L}_][\p{L}\p{N}_@.+ -]*$/u.test(text) && !/\s$|^(?:true|false|null|yes|no|on|off|y|n)$/iu.test(text);
  return plain ? text : JSON.stringify(text);
}

const maxNamed = 10;

/** The first ten by name, and how many more there are. */
export function truncateList(names: readonly string[]): string {
  if (names.length <= maxNamed) return joinList(names);
  return joinList([...names.slice(0, maxNamed), `${names.length - maxNamed} more`]);
}
