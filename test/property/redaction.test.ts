import fc from "fast-check";
import { expect, test } from "vitest";
import type { Exchange } from "../../src/http/origin.ts";
import { accountServiceClient } from "../../src/service/client.ts";
import { ApiKey } from "../../src/service/secrets.ts";
import { alwaysAsync } from "../support/always.ts";
import { clockAt, countingRandomness } from "../support/fixed-ports.ts";
import { runs } from "../support/property-runs.ts";

const seed = 20261122;

const secrets = fc.string({
  unit: fc.constantFrom(..."abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789~+/=_-"),
  minLength: 9,
  maxLength: 70,
});

const spellings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => encodeURIComponent(text),
  (text) => Buffer.from(`ApiKey ${text}`).toString("base64"),
  (text) => Buffer.from(text).toString("base64url"),
  (text) => [...text].join("\u200b"),
  (text) => `${text.slice(0, 4)}\u0007${text.slice(4)}`,
];

interface Echo {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A text that holds the key, or a part of it, somewhere. */
function echoing(secret: string): fc.Arbitrary<string> {
  const said = fc.oneof(
    fc.constantFrom(secret, `pre1.${secret}`),
    fc
      .tuple(fc.nat(secret.length - 8), fc.nat(secret.length))
      .map(([from, length]) => secret.slice(from, from + 8 + length)),
  );
  const padding = fc.oneof(
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 150, max: 210 }),
    fc.integer({ min: 440, max: 510 }),
  );
  return fc
    .tuple(said, fc.constantFrom(...spellings), padding, fc.boolean())
    .map(([text, spell, before, more]) => `${" word".repeat(before).slice(-before)} ${spell(text)}${more ? " !" : ""}`);
}

const bodies: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `<html>${text}</html>`,
  (text) => JSON.stringify({ message: text }),
  (text) => JSON.stringify({ error: { message: text }, statusCode: 404 }),
  (text) => JSON.stringify({ [text]: 1 }),
  (text) => JSON.stringify([{ [text]: 1, error: text }]),
  (text) => JSON.stringify({ failures: [{ identifier: "u-1", message: text }] }),
  (text) => `"${text}`,
];

function echoes(secret: string): fc.Arbitrary<Echo> {
  const text = echoing(secret);
  return fc.record({
    status: fc.constantFrom(200, 201, 302, 400, 401, 404, 409, 422, 429, 500, 503),
    headers: fc.record(
      {
        "content-type": text,
        "retry-after": text,
        location: text.map((one) => `https://x.example/${one}`),
        date: text,
      },
      { requiredKeys: [] },
    ),
    body: fc.tuple(text, fc.constantFrom(...bodies)).map(([one, body]) => body(one)),
  });
}

function connect(key: string, { status, headers, body }: Echo) {
  const told: string[] = [];
  const answer: Exchange = { is: "answer", status, headers: new Map(Object.entries(headers)), body };
  const service = accountServiceClient(
    { send: async () => answer, close: async () => undefined },
    {
      endpoint: new URL("https://service.example"),
      key: new ApiKey(key),
      clock: clockAt("2026-11-20T10:00:00.000Z"),
      randomness: countingRandomness(),
      trace: (line) => told.push(line),
      watch: (seen) => told.push(JSON.stringify(seen)),
    },
  );
  return { service, told };
}

async function toldOfReads(key: string, echo: Echo): Promise<readonly string[]> {
  const { service, told } = connect(key, echo);
  const reads = [await service.readAccount("acc-1"), await service.listUsers()];
  return [...told, ...reads.map((read) => (read.ok ? "" : JSON.stringify(read.error)))];
}

async function toldOfWrites(key: string, echo: Echo): Promise<readonly string[]> {
  const { service, told } = connect(key, echo);
  const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };
  const added = await service.addMembers("t-1", ["u-1"]);
  const writes = [await service.createUser("acc-1", ada, undefined), added, await service.replaceRoles("k1", ["R"])];
  const ofMembers = added.outcome === "done" ? added.value.members.map(({ failure }) => failure ?? "") : [];
  return [
    ...told,
    ...[...writes.map((write) => (write.outcome === "done" ? "" : write.failure)), ...ofMembers].map((failure) =>
      JSON.stringify(failure),
    ),
  ];
}

/** A text, and what percent signs and Base64 in it stand for. */
function readings(text: string): readonly string[] {
  const percent = text.replace(/%([0-9a-f]{2})/giu, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const base64 = [...text.matchAll(/[\w+/-]{8,}/gu)].flatMap(([word]) =>
    [0, 1, 2, 3].map((skipped) => Buffer.from(word.slice(skipped), "base64").toString("latin1")),
  );
  return [text, percent, ...base64].map((one) => one.toLowerCase());
}

function piecesTold(secret: string, told: readonly string[]): readonly string[] {
  const pieces = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8).toLowerCase());
  const texts = told.flatMap(readings);
  return pieces.filter((piece) => texts.some((text) => text.includes(piece)));
}

const echoedKeys = secrets.chain((secret) => fc.record({ secret: fc.constant(secret), echo: echoes(secret) }));

test("whatever a service echoes of the key in use, no 8 characters in a row of its secret part are told", async () => {
  await alwaysAsync({ seed, numRuns: runs(1500) }, echoedKeys, async ({ secret, echo }) => {
    const key = `pre1.${secret}`;
    expect(piecesTold(secret, [...(await toldOfReads(key, echo)), ...(await toldOfWrites(key, echo))])).toEqual([]);
  });
});

/** A key that is not ours is known by its looks: a capital letter or a digit behind the dot, or 16 characters. */
const newKeys = fc
  .record({
    secret: secrets.map((secret) => `K7${secret}`),
    before: fc.integer({ min: 0, max: 520 }),
    body: fc.constantFrom(...bodies),
    status: fc.constantFrom(200, 201, 400, 409, 500),
  })
  .map(({ secret, before, body, status }) => ({
    secret,
    echo: { status, headers: {}, body: body(`${"w ".repeat(before).slice(-before)} made.${secret}`) },
  }));

test("whatever a service says of a new key in answer to a write, no 8 characters in a row of its secret part are told", async () => {
  await alwaysAsync({ seed, numRuns: runs(600) }, newKeys, async ({ secret, echo }) => {
    expect(piecesTold(secret, await toldOfWrites("pre1.the-key-in-use", echo))).toEqual([]);
  });
});
