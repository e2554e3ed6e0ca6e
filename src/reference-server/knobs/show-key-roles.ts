import { choice, type ValueOf } from "./knob.ts";

export const showKeyRoles = choice("How a key that is shown tells its roles.", "objects", {
  objects: "as objects with their identifier",
  names: "as bare identifiers",
  null: "roles is null",
  none: "not at all",
});

export function rolesField(how: ValueOf<typeof showKeyRoles>, roles: readonly string[]): object {
  switch (how) {
    case "objects":
      return { roles: roles.map((identifier) => ({ identifier })) };
    case "names":
      return { roles };
    case "null":
      return { roles: null };
    case "none":
      return {};
  }
}
