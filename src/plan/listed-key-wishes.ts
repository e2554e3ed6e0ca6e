import type { RosterKey } from "../model/roster.ts";
import { listedKeyDeclaration, resolveDeclaredKey } from "./declared-keys.ts";
import type { DesiredRolesResult } from "./key-wishes.ts";
import type { UserIdentities } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { shownRef } from "./references.ts";

/** The roles that the roster wants on a key that it names by its prefix. A mistaken prefix is a finding of its own. */
export function desiredListedKeyRoles(
  entry: RosterKey,
  context: PlanContext,
  people: UserIdentities,
): DesiredRolesResult {
  const owner = entry.owner === undefined ? undefined : people.get(entry.owner.value);
  const declaration = listedKeyDeclaration(entry, people, context);
  const judged = resolveDeclaredKey(declaration, context);
  if (judged.is === "mistaken" || owner?.is === "withheld") return undefined;
  const { key, held } = judged;
  const common = { roles: entry.roles, because: entry.because, concern: declaration.concern };
  const wish = { is: "known", asks: "list", key, ...common } as const;
  if (owner !== undefined) return { ...wish, owner };
  return held === undefined ? wish : { ...wish, holder: shownRef(held.holder) };
}
