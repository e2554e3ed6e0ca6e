import type { FindingCode } from "../../codes/findings.ts";
import type { OutsideChange } from "../../model/outside-change.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { State } from "../../model/state.ts";

/** What later reads of a key are compared with: what a run wrote, and what the key was read as since. */
interface Baseline {
  readonly setRoles: RoleSet;
  readonly observedRoles: RoleSet;
}

/** What a key had when a run wrote it, or when a later read showed it as the roster has it; undefined where neither is known. */
export function baselineOf(prefix: string, { keys, seenKeys }: Pick<State, "keys" | "seenKeys">): Baseline | undefined {
  const seen = seenKeys?.get(prefix)?.roles;
  if (seen !== undefined) return { setRoles: seen, observedRoles: seen };
  const written = keys.get(prefix);
  return written && { setRoles: written.setRoles, observedRoles: written.observedRoles ?? written.setRoles };
}

/** A guard or a refusal keeps apply from undoing a change of roles: it is reported all the same. */
export const withheldCodes: ReadonlySet<FindingCode> = new Set(["own-key", "protected", "privileged-roles", "refused"]);

type ChangedRoles = Pick<OutsideChange, "gained" | "lost">;

/**
 * What others did to the roles of a key, role by role. Gained: it came since our last look, and no run asked for it, nor does
 * the roster now. Lost: it went, although a run asked for it and the roster still does. Any other difference comes from the roster.
 */
export function outsideRoles({ setRoles, observedRoles }: Baseline, carried: RoleSet, wanted: RoleSet): ChangedRoles {
  return {
    gained: rolesWithout(carried, observedRoles).filter((role) => !setRoles.includes(role) && !wanted.includes(role)),
    lost: rolesWithout(observedRoles, carried).filter((role) => setRoles.includes(role) && wanted.includes(role)),
  };
}

/**
 * The same of a key whose roles the roster leaves alone. Each privileged role that it gained is reported by itself, or its holder may have it.
 */
export function unmanagedChange(baseline: Baseline, carried: RoleSet, privileged: RoleSet): ChangedRoles {
  const { gained, lost } = outsideRoles(baseline, carried, baseline.setRoles);
  return { gained: rolesWithout(gained, privileged), lost };
}
