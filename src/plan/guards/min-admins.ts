import { heldKeys, holdsAny } from "./administrators.ts";
import { bounded } from "./bounded.ts";
import type { GuardGround, StopGuard } from "./guard.ts";

/**
 * Protects from running out of administrators: no plan takes the role from anybody where fewer than so many active people
 * hold it afterwards. Counted are those whom the plan reads, which is everybody with `--unmanaged` and in `drift`. Off
 * until set; allowed with `--allow min-admins@PLANID`.
 */
export const minAdmins: StopGuard = { name: "min-admins", judge };

function judge(ground: GuardGround): string | undefined {
  const { minAdmins: settings } = ground.question.policy.guards;
  if (settings === "off") return undefined;
  const { role, count } = settings;
  const people = [...heldKeys(ground)].sort(([a], [b]) => (a < b ? -1 : 1));
  const keep = people.filter(([, { after }]) => holdsAny(after, [role]) === "yes").map(([address]) => address);
  const lose = people
    .filter(([, { before, after }]) => holdsAny(before, [role]) === "yes" && holdsAny(after, [role]) !== "yes")
    .map(([address]) => address);
  if (lose.length === 0 || keep.length >= count) return undefined;
  const left = keep.length === 0 ? "nobody" : `${keep.length}, ${bounded(keep)},`;
  return `The plan takes ${role} from ${bounded(lose)}, and of those who were read ${left} would hold it afterwards; at least ${count} must.`;
}
