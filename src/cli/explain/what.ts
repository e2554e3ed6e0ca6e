import { foldAddress } from "../../model/address.ts";
import type { ExplainTarget } from "../../report/explain/explanation.ts";

const kinds: Readonly<Record<string, (name: string) => ExplainTarget>> = {
  user: (name) => ({ is: "user", address: foldAddress(name) }),
  team: (name) => ({ is: "team", written: name }),
  key: (name) => ({ is: "key", prefix: name }),
  role: (name) => ({ is: "role", role: name }),
  fingerprint: (name) => ({ is: "finding", fingerprint: name.toLowerCase() }),
};

/** A thing by its kind, whose letter case does not count, and its name, which may be missing. */
export interface NamedKind {
  readonly name: string;
  readonly thing: ExplainTarget;
}

/** What stands behind `user:` and the like; nothing where the words begin with no kind. */
export function namedKind(what: string): NamedKind | undefined {
  const [, kind = "", name = ""] = /^([a-z]+):(.*)$/isu.exec(what) ?? [];
  const thing = Object.hasOwn(kinds, kind.toLowerCase()) ? kinds[kind.toLowerCase()] : undefined;
  return thing === undefined ? undefined : { name: name.trim(), thing: thing(name) };
}

/** The thing that somebody means; nothing where the words can only be a code. */
export function thingOf(what: string): ExplainTarget | undefined {
  const named = namedKind(what);
  if (named !== undefined) return named.thing;
  if (what.includes(":")) return { is: "action", id: what };
  if (/^[0-9a-f]{16}$/u.test(what)) return { is: "finding", fingerprint: what };
  return what.includes("@") ? { is: "user", address: foldAddress(what) } : undefined;
}
