import { list, object, optional, type Static, string } from "../../model/declare.ts";

/** Not empty, and not only white space. */
const text = string({ pattern: "\\S" });
const reference = object({ identifier: text });

/** The bodies of requests, from which the build makes validators. An unknown field is refused. */
export const requestBodies = {
  createUser: object({
    firstName: text,
    lastName: text,
    email: string(),
    title: optional(string()),
    externalIdentifier: optional(string()),
    source: optional(string()),
    team: optional(
      object({
        name: optional(text),
        adminUserIdentifier: optional(string()),
        accessKeyRoles: optional(list(string())),
      }),
    ),
  }),
  searchUsers: object({ identifiers: list(string()) }),
  addMembers: list(reference, { minItems: 1 }),
  replaceKeyRoles: list(reference),
};

export type RequestBody<Name extends keyof typeof requestBodies> = Static<(typeof requestBodies)[Name]>;
