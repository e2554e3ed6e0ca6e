import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { PrivilegedKey } from "../access/shown-privileges.ts";
import type { Line } from "../text/lines.ts";

/** One way to read what a plan does, as sections. */
export type View = (plan: Plan, context: ViewContext) => readonly (readonly Line[])[];

export interface ViewContext {
  /** Roles that let their holder administer others. */
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where nothing was read. */
  readonly shown?: readonly PrivilegedKey[] | undefined;
}
