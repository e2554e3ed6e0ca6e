import { describe, expect, onTestFinished, test } from "vitest";
import { parseKnobValue } from "../../../../src/reference-server/knobs/read-knobs.ts";
import {
  defaultKnobs,
  type KnobName,
  type Knobs,
  knobRegistry,
} from "../../../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../../../src/reference-server/server.ts";

const here = "http://here";

/** One answer as it came, with the server's address written `http://here`. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  /** The value of a JSON body, else its text. */
  readonly body: unknown;
}

/** A server with a clock that tests move. */
export interface Service {
  readonly server: ReferenceServer;
  get(path: string, headers?: Record<string, string>): Promise<Seen>;
  post(path: string, body: unknown): Promise<Seen>;
  put(path: string, body: unknown): Promise<Seen>;
  /** Milliseconds. */
  pass(milliseconds: number): void;
}

/** What is seen of a value of a knob, and what it must be. */
export interface Effect {
  readonly see: (service: Service) => Promise<unknown>;
  readonly expected: unknown;
  /** Other knobs that are set with it. */
  readonly beside?: Partial<Knobs>;
  readonly seed?: Seed;
}

/** At least one effect for each value of each of these knobs; for numbers and occasions, for the values named. */
export type EffectsOf<Name extends KnobName> = {
  readonly [N in Name]: Knobs[N] extends string ? Readonly<Record<Knobs[N], Effect>> : Readonly<Record<string, Effect>>;
};

export function effect(
  see: Effect["see"],
  expected: unknown,
  more: { readonly beside?: Partial<Knobs>; readonly seed?: Seed } = {},
): Effect {
  return { see, expected, ...more };
}

/** p1 to p5 of acc-1 and, last, the administrator; p1 is a member of the team Air with the key `air1`. */
const seed: Seed = {
  users: ["p1", "p2", "p3", "p4", "p5"].map((name) => ({
    email: `${name}@acme.example`,
    firstName: name.toUpperCase(),
    lastName: "X",
    title: `T${name}`,
  })),
  teams: [{ identifier: "t-air", name: "Air", admin: "u-1", members: [{ user: "u-1", prefix: "air1" }] }],
  keys: [1, 2, 3, 4, 5].map((number) => ({ prefix: `own${number}`, owner: `u-${number}`, kind: "user", roles: [] })),
};

/** Each value shows its effect; and, unless it is the default, shows something else than the default does. */
export function testEffects(effects: Partial<Record<KnobName, Readonly<Record<string, Effect>>>>): void {
  for (const [name, values] of Object.entries(effects)) {
    describe(`the knob ${name}`, () => {
      test.each(Object.entries(values))("%s", async (written, { see, expected, beside = {}, seed: sown = seed }) => {
        const value = readValue(name, written);
        const start = (knobs: object) => seeFrom(see, sown, { ...beside, ...knobs });
        expect(await start({ [name]: value })).toEqual(expected);
        const otherwise: unknown = defaultKnobs[name as KnobName];
        if (JSON.stringify(value) !== JSON.stringify(otherwise)) expect(await start({})).not.toEqual(expected);
      });
    });
  }
}

function readValue(name: string, written: string): unknown {
  const knob = knobRegistry.get(name);
  const value = knob === undefined ? undefined : parseKnobValue(knob, written);
  if (value === undefined) throw new Error(`the knob ${name} has no value ${written}`);
  return value;
}

async function seeFrom(see: Effect["see"], sown: Seed, knobs: Partial<Knobs>): Promise<unknown> {
  return await see(await startedService(sown, knobs));
}

export async function startedService(sown: Seed, knobs: Partial<Knobs>): Promise<Service> {
  let now = Date.UTC(2026, 10, 20);
  const server = await startReferenceServer({ port: 0, seed: sown, knobs, now: () => now });
  onTestFinished(() => server.close());
  const ask = async (path: string, request: RequestInit): Promise<Seen> => {
    const { method = "GET", headers, ...rest } = request;
    const all = { authorization: `ApiKey ${server.key}`, ...(headers as Record<string, string> | undefined) };
    const address = path.startsWith("http") ? path : `${server.endpoint}/api/accounting${path}`;
    const response = await fetch(address, { redirect: "manual", method, headers: all, ...rest });
    return seen(response.status, response.headers, (await response.text()).replaceAll(server.endpoint, here), server);
  };
  const send = (method: string) => (path: string, body: unknown) =>
    ask(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return {
    server,
    get: (path, headers = {}) => ask(path, { headers }),
    post: send("POST"),
    put: send("PUT"),
    pass(milliseconds) {
      now += milliseconds;
    },
  };
}

function seen(status: number, headers: Headers, text: string, { endpoint }: ReferenceServer): Seen {
  const plain = new Headers([...headers].map(([name, value]) => [name, value.replaceAll(endpoint, here)]));
  try {
    return { status, headers: plain, body: JSON.parse(text) };
  } catch {
    return { status, headers: plain, body: text };
  }
}

/** The part before the @ of every address in rows, in their order. */
export function people(rows: unknown): readonly string[] {
  return Array.isArray(rows) ? rows.map((row: { email?: string } | null) => row?.email?.split("@")[0] ?? "nobody") : [];
}
