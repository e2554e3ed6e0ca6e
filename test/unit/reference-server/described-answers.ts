import { Ajv } from "ajv";
import {
  boolean,
  extended,
  integer,
  type JsonSchema,
  list,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  string,
} from "../../../src/model/declare.ts";

const text = string();
const status = string({ minLength: 1 });
const account = { identifier: text, name: text, status };
const team = object({ identifier: text, name: text });
const roles = list(object({ identifier: text }));
const keyFields = { prefix: text, status, roles };
const key = object({
  ...keyFields,
  kind: oneOf("user", "team", "project"),
  team: nullable(team),
  isDefault: boolean(),
});
const user = object({
  identifier: text,
  email: text,
  firstName: text,
  lastName: text,
  title: nullable(text),
  externalIdentifier: nullable(text),
  source: nullable(text),
  status,
  accessKeys: list(key),
});
const member = object({
  identifier: text,
  email: text,
  accessKey: object({ ...keyFields, kind: literal("team"), team }),
});
const details = object({ ...account, users: list(object({ identifier: text, email: text, status })) });
const role = object({ identifier: text, name: text, description: text, type: oneOf("user", "system") });
const error = object({
  statusCode: integer(),
  status: text,
  message: text,
  reportErrorUrl: text,
});

const ofAll = [400, 401, 403, 405];
const ofBodies = [...ofAll, 413, 415];

/** What the routes answer without knobs: these fields and no others, and refusals of these statuses alone. */
export const routes = [
  {
    method: "GET",
    path: "/api/accounting/accounts",
    success: 200,
    answer: list(object(account)),
    list: "accounts",
    refusals: ofAll,
  },
  {
    method: "GET",
    path: "/api/accounting/accounts/{}",
    success: 200,
    answer: details,
    list: "none",
    refusals: [...ofAll, 404],
  },
  {
    method: "POST",
    path: "/api/accounting/accounts/{}/users",
    success: 201,
    answer: extended({ team: optional(team) }, user),
    list: "none",
    refusals: [...ofBodies, 404, 409],
  },
  {
    method: "POST",
    path: "/api/accounting/users/search",
    success: 200,
    answer: list(user),
    list: "users",
    refusals: ofBodies,
  },
  { method: "GET", path: "/api/accounting/users", success: 200, answer: list(user), list: "users", refusals: ofAll },
  {
    method: "POST",
    path: "/api/accounting/teams/{}/members",
    success: 200,
    answer: list(member),
    list: "none",
    refusals: [...ofBodies, 404, 409],
  },
  { method: "GET", path: "/api/accounting/roles", success: 200, answer: list(role), list: "roles", refusals: ofAll },
  {
    method: "PUT",
    path: "/api/accounting/access-keys/{}/roles",
    success: 200,
    answer: roles,
    list: "none",
    refusals: [...ofBodies, 404],
  },
] as const;

const ajv = new Ajv({ allErrors: true });
const isError = ajv.compile(error);
const answers = routes.map((route) => {
  const pattern = new RegExp(`^${route.path.replace("{}", "[^/]*")}$`, "u");
  return { ...route, pattern, isAnswer: ajv.compile(route.answer as JsonSchema) };
});

/** Throws where an answer of one of the eight routes has another shape. */
export function expectDescribed(method: string, path: string, status: number, body: unknown): void {
  const route = answers.find((one) => one.pattern.test(path) && (one.method === method || status === 405));
  if (route === undefined) return;
  if (status !== route.success && !route.refusals.includes(status))
    throw new Error(`${method} ${path} answered ${status}`);
  const validate = status === route.success ? route.isAnswer : isError;
  if (!validate(body))
    throw new Error(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}
