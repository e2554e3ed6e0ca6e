import { onTestFinished } from "vitest";
import { parse } from "yaml";
import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../../src/reference-server/server.ts";
import { plainText } from "../../support/plain-text.ts";
import { expectDescribed } from "./described-answers.ts";

export type Talk = (step: string) => Promise<string>;

/** The seed that steps without a name of their own are about. */
export const boInAir: Seed = {
  users: [{ email: "bo@acme.example", firstName: "Bo", lastName: "D" }],
  teams: [{ identifier: "t-air", name: "Air", admin: "bo@acme.example" }],
  keys: [{ prefix: "own1", owner: "bo@acme.example", kind: "user", roles: ["TEAM_ROLE"] }],
};

interface Answer {
  readonly status: number | "no answer";
  readonly headers: Headers;
  /** The value of a JSON body, else its text. */
  readonly body: unknown;
}

/** What a step asks or does; an answer, or a value to show. */
type Said = { readonly answer: Answer } | { readonly value: unknown };

/** A server of one transcript, with a clock that its steps move. `README` of `transcripts/` says which steps there are. */
export async function conversation(seed: Seed, knobs: Partial<Knobs>): Promise<Talk> {
  let now = Date.UTC(2026, 10, 20);
  const server = await startReferenceServer({ port: 0, seed, knobs, now: () => now });
  onTestFinished(() => server.close());
  let isPlain = Object.keys(knobs).length === 0;

  const ask = async (key: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const json: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const headers = { ...authorization(key === "server" ? server.key : key), ...json };
    const address = /^https?:/u.test(path) ? path : server.endpoint + (path.startsWith("/") ? "" : base) + path;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(address, { redirect: "manual", method, headers, ...sent }).catch(() => undefined);
    if (response === undefined) return { status: "no answer", headers: new Headers(), body: "" };
    const text = withoutAddress(await response.text(), server);
    const answered = new Headers([...response.headers].map(([name, value]) => [name, withoutAddress(value, server)]));
    const told = { status: response.status, headers: answered, body: parsedJson(text) };
    if (isPlain && !path.startsWith("/"))
      expectDescribed(method, (base + path).split("?")[0] ?? "", response.status, told.body);
    return told;
  };

  const say = async (key: string, verb: string, rest: string): Promise<Said> => {
    const [first = "", ...others] = rest.split(" ").filter((word) => word !== "");
    const answered = async (method: string, path: string, body?: unknown) => ({
      answer: await ask(key, method, path, body),
    });
    const [name = "", more = ""] = verb.split(/(?=[?@])/u);
    switch (name) {
      case "search":
        return await answered("POST", `users/search${more}`, { identifiers: rest.split(" ").filter(Boolean) });
      case "create":
        return await answered("POST", "accounts/acc-1/users", {
          email: `${first}@acme.example`,
          firstName: first,
          lastName: "L",
          ...mapOf(others.join(" ")),
        });
      case "add":
        return await answered(
          "POST",
          `teams/${more === "" ? "t-air" : more.slice(1)}/members`,
          [first, ...others].map((identifier) => ({ identifier })),
        );
      case "put": {
        const prefix = first === "new" ? server.world.users.at(-1)?.accessKeys[0]?.prefix : first;
        return await answered(
          "PUT",
          `access-keys/${prefix}/roles`,
          others.map((identifier) => ({ identifier })),
        );
      }
      case "follow": {
        const there = (await ask(key, "GET", rest)).headers.get("location") ?? "";
        return await answered(
          "GET",
          there.replace("http://here", server.endpoint).replace("http://other", otherName(server)),
        );
      }
      case "orders": {
        const seen = new Set<string>();
        for (let times = 0; times < 8; times += 1) seen.add(await show(await answered("GET", `users${rest}`), ""));
        return { value: seen.size > 1 ? "several orders" : [...seen][0] };
      }
      case "wait":
        now += Number(rest);
        return { value: undefined };
      case "world": {
        const change = server.world[first as "addUser"] as (...all: readonly unknown[]) => unknown;
        return { value: change.apply(server.world, parse(`[${others.join(" ")}]`) as unknown[]) };
      }
      case "knobs":
        isPlain = false;
        server.setKnobs(mapOf(rest));
        return { value: undefined };
      case "show":
        return { value: shown(server, first) };
      default:
        return await answered(verb, first, others.length === 0 ? undefined : parse(others.join(" ")));
    }
  };

  return async (step) => {
    const [, times = "1", key = "server", verb = "", rest = "", view = ""] =
      /^(?:(\d+)x )?(?:as (none|'[^']*'|[^ ']*) )?(\S+)(?: (?!\|)(.*?))?(?: \| (.*))?$/u.exec(step) ?? [];
    const told: string[] = [];
    for (let time = 0; time < Number(times); time += 1) told.push(show(await say(key, verb, rest), view));
    return told.join(", ");
  };
}

const base = "/api/accounting/";

function authorization(key: string): Record<string, string> {
  return key === "none" ? {} : { authorization: key.startsWith("'") ? key.slice(1, -1) : `ApiKey ${key}` };
}

const otherName = (server: ReferenceServer) => server.endpoint.replace("127.0.0.1", "localhost");

function withoutAddress(text: string, server: ReferenceServer): string {
  return text.replaceAll(server.endpoint, "http://here").replaceAll(otherName(server), "http://other");
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const mapOf = (text: string) => (text === "" ? {} : (parse(text) as object));

function shown({ world, outbox, requests }: ReferenceServer, what: string): unknown {
  switch (what) {
    case "users":
      return world.users;
    case "newest":
      return world.users.at(-1);
    case "teams":
      return world.teams;
    case "mails":
      return outbox;
    case "requests":
      return requests;
    default:
      return `${world.users.length} users, ${world.teams.length} teams, ${outbox.length} mails`;
  }
}

function show(said: Said, view: string): string {
  const body = "answer" in said ? said.answer.body : said.value;
  const all = "answer" in said ? [said.answer.status] : [];
  if (view === "") return drawn([...all, ...(body === "" || body === undefined ? [] : [short(body)])]);
  return drawn(
    view.split(" ").map((part) => {
      if (part === "status") return all[0];
      if (part === "whole") return body;
      if (part === "length") return Array.isArray(body) ? body.length : undefined;
      if ("answer" in said && part === "@next")
        return /<([^>]*)>; rel="next"/u.exec(said.answer.headers.get("link") ?? "")?.[1];
      if ("answer" in said && part.startsWith("@")) return said.answer.headers.get(part.slice(1)) ?? undefined;
      const value = at(body, part.replace(/^\.|\.?\?$/gu, ""));
      return part.endsWith("?") ? names(value) : value;
    }),
  );
}

function drawn(values: readonly unknown[]): string {
  return values
    .map((value) => (typeof value === "string" && value !== "" ? value : plainText(value)))
    .join(" · ")
    .replaceAll("\n", "")
    .replaceAll(/:\d{4,5}\b/gu, "")
    .replaceAll(/\b[A-Za-z0-9]{20}\.[A-Za-z0-9]{32}\b/gu, "PREFIX.SECRET")
    .replaceAll(/\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{20}\b/gu, "PREFIX")
    .replaceAll(/\b[A-Za-z0-9]{32}\b/gu, "SECRET");
}

/** The value at a path of names; of a list, that of each entry. */
function at(value: unknown, path: string): unknown {
  if (path === "") return value;
  if (Array.isArray(value)) return value.map((entry) => at(entry, path));
  const [name = "", ...rest] = path.split(".");
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return at((value as Record<string, unknown>)[name], rest.join("."));
}

function names(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(names);
  return typeof value === "object" && value !== null ? Object.keys(value) : undefined;
}

/** A user as the part before the @, a role as its identifier, a refusal in its usual form as its message. */
function short(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(short);
  if (typeof value !== "object" || value === null) return value;
  const { email, firstName, description, identifier, message } = value as Record<string, unknown>;
  if (typeof email === "string" && firstName !== undefined) return email.split("@")[0];
  if (description !== undefined && identifier !== undefined) return identifier;
  if (Object.keys(value).join() === "statusCode,status,message,reportErrorUrl") return message;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, short(inner)]));
}
