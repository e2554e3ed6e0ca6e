import type { Pointer } from "./pointer.ts";

const person = ["firstName", "lastName", "title", "externalIdentifier", "source"] as const;
const user = ["identifier", "email", "status", "account", "keys", ...person] as const;

/** The parts of answers that can be mapped, and the fields of each. Pointers to fields start at the row, if there are rows. */
export const shapeFields = {
  users: ["list", "total", ...user],
  search: ["list", "total"],
  accounts: ["list", "total", "identifier", "name", "status"],
  account: ["name", "status", "users"],
  roles: ["list", "total", "identifier", "name", "type"],
  key: ["prefix", "status", "kind", "team", "roles", "isDefault"],
  team: ["identifier", "name"],
  createdUser: [...user, "prefix", "team"],
  addedMembers: ["list", "identifier", "email", "key", "prefix", "error"],
  replacedRoles: ["list"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ShapePart = keyof typeof shapeFields;

/** Where a service's answers hold what roster could not find by itself. */
export type Shapes = {
  readonly [Part in ShapePart]?: Readonly<Partial<Record<(typeof shapeFields)[Part][number], Pointer>>>;
};
