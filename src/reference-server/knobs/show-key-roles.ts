import type { Knobs } from "../knobs.ts";

export function rolesField(how: Knobs["showKeyRoles"], roles: readonly string[]): object {
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
