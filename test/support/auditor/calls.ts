import type { CreationIntent, Intent } from "../../../src/model/call.ts";
import type { Profile } from "../../../src/model/values.ts";
import { foldEmail, type RequestArrived, sameSet } from "./service-log.ts";

/** A request that may change something, as the interface describes it. */
export type Call =
  | { readonly is: "create-user"; readonly account: string; readonly body: Readonly<Record<string, unknown>> }
  | { readonly is: "add-members"; readonly team: string; readonly identifiers: readonly string[] }
  | { readonly is: "replace-roles"; readonly prefix: string; readonly roles: readonly string[] }
  /** It changes nothing. */
  | { readonly is: "read" }
  /** The interface has no such call. */
  | { readonly is: "none" };

export function callOf({ method, path, body }: Pick<RequestArrived, "method" | "path" | "body">): Call {
  if (method === "GET") return { is: "read" };
  const [, route = ""] = /\/api\/accounting\/([^?#]*)/u.exec(path) ?? [];
  const [first, name = "", last, ...more] = route.split("/").map(decodeURIComponent);
  if (method === "POST" && route === "users/search") return { is: "read" };
  if (name === "" || more.length > 0) return { is: "none" };
  if (method === "POST" && first === "accounts" && last === "users" && isObject(body)) {
    return { is: "create-user", account: name, body };
  }
  const identifiers = identifiersIn(body);
  if (identifiers === undefined) return { is: "none" };
  if (method === "POST" && first === "teams" && last === "members")
    return { is: "add-members", team: name, identifiers };
  if (method === "PUT" && first === "access-keys" && last === "roles") {
    return { is: "replace-roles", prefix: name, roles: identifiers };
  }
  return { is: "none" };
}

/** The body of additions and replacements: objects with an identifier each, and nothing else. */
function identifiersIn(body: unknown): readonly string[] | undefined {
  if (!Array.isArray(body)) return undefined;
  const found = body.flatMap((one: unknown) =>
    isObject(one) && typeof one["identifier"] === "string" && Object.keys(one).length === 1 ? [one["identifier"]] : [],
  );
  return found.length === body.length && new Set(found).size === found.length ? found : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What the service knows when a call arrives. */
export interface Acquaintance {
  /** The folded addresses of those whom a text may name: by identifier, or by address. */
  named(text: string): readonly string[];
  roles(prefix: string): readonly string[];
}

/** In what a call differs from what was announced; undefined where it is the same. */
export function differenceFrom(intent: Intent, call: Call, known: Acquaintance): string | undefined {
  switch (intent.kind) {
    case "create-user":
      return call.is === "create-user" ? creationDifference(intent, call, known) : "another kind of call";
    case "add-members": {
      if (call.is !== "add-members") return "another kind of call";
      if (call.team !== intent.identifier) return `the team ${call.team}, announced: ${intent.identifier}`;
      const wanted: readonly string[] = intent.addresses;
      const unmeant = call.identifiers.find((one) => !known.named(one).some((address) => wanted.includes(address)));
      if (unmeant !== undefined) return `${unmeant} is none of ${wanted.join(", ")}`;
      const sent = call.identifiers.flatMap((one) => known.named(one));
      const missing = wanted.find((address) => !sent.includes(address));
      return missing === undefined ? undefined : `without ${missing}`;
    }
    case "replace-roles": {
      if (call.is !== "replace-roles") return "another kind of call";
      if (call.prefix !== intent.prefix) return `the key ${call.prefix}, announced: ${intent.prefix}`;
      // A service may refuse to take a role away: then it is sent along.
      const kept = known.roles(call.prefix);
      const missing = intent.roles.filter((role) => !call.roles.includes(role));
      const added = call.roles.filter((role) => !intent.roles.includes(role) && !kept.includes(role));
      if (missing.length + added.length === 0) return undefined;
      return `the roles ${list(call.roles)}, announced: ${list(intent.roles)}`;
    }
  }
}

const fields: readonly (keyof Profile)[] = ["firstName", "lastName", "title", "externalIdentifier", "source"];

function creationDifference(
  { account, email, sent, createsTeam }: CreationIntent,
  call: Extract<Call, { readonly is: "create-user" }>,
  known: Acquaintance,
): string | undefined {
  const { email: to, team, ...rest } = call.body;
  if (call.account !== account) return `the account ${call.account}, announced: ${account}`;
  if (to !== email) return `${String(to)}, announced: ${email}`;
  const other = [...new Set([...fields, ...Object.keys(rest)])].find(
    (field) => rest[field] !== (sent as Readonly<Record<string, unknown>>)[field],
  );
  if (other !== undefined) return `${other} is not as announced`;
  if (createsTeam === undefined) return team === undefined ? undefined : "with a team that was not announced";
  if (!isObject(team)) return `without the team ${createsTeam.name}`;
  const { name, accessKeyRoles, adminUserIdentifier, ...more } = team;
  if (Object.keys(more).length > 0) return `the team has ${Object.keys(more).join(", ")}`;
  if (name !== createsTeam.name) return `the team ${String(name)}, announced: ${createsTeam.name}`;
  if (!Array.isArray(accessKeyRoles) || !sameSet(accessKeyRoles.map(String), createsTeam.accessKeyRoles)) {
    return `the roles ${JSON.stringify(accessKeyRoles)}, announced: ${list(createsTeam.accessKeyRoles)}`;
  }
  const admin: string | undefined = createsTeam.admin;
  if (adminUserIdentifier === undefined && admin === undefined) return undefined;
  const named = typeof adminUserIdentifier === "string" ? known.named(adminUserIdentifier) : [];
  if (admin !== undefined && named.includes(admin)) return undefined;
  return `the administrator ${String(adminUserIdentifier)}, announced: ${admin ?? "none"}`;
}

function list(roles: readonly string[]): string {
  return roles.length === 0 ? "none" : roles.join(", ");
}

/** Those whom a text of a call may name: the users of this identifier, and the address that it is. */
export function namedBy(text: string, users: readonly { readonly identifier: string; readonly email: string }[]) {
  const known = users.filter(({ identifier }) => identifier === text).map(({ email }) => foldEmail(email));
  return text.includes("@") ? [...known, foldEmail(text)] : known;
}
