import { choice } from "./knob.ts";

export const putRolesAnswer = choice("How the replacement of a key's roles answers.", "roles", {
  roles: "200, an array of the roles that the key has now",
  key: "200, the key",
  empty: "204 without a body",
  accepted: "202 whatever `putRolesStatus` says: status ACCEPTED",
});
