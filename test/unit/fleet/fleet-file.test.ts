// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a fleet file has them as they are
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeFleet, expandFleet, targetsInTurn } from "../../../src/fleet/fleet-file.ts";
import type { Diagnostic } from "../../../src/model/failure.ts";
import { readGeneral } from "../../../src/yaml/general.ts";
import { fleetTarget } from "../../support/fleet-target.ts";

/** The targets of a fleet file, or what is wrong with it as `line: code: message`. */
function expanded(targets: string, directories: Readonly<Record<string, readonly string[]>> = {}) {
  const told = (faults: readonly Diagnostic[]) =>
    faults.map(({ place, code, message }) => `${place?.line}: ${code}: ${message}`);
  const decoded = decodeText(`version: 1\ntargets:\n${targets}`);
  if (!decoded.ok) return told(decoded.error);
  const here = (path: string) => posix.relative("/fleet", posix.resolve("/fleet", path));
  const found = expandFleet(decoded.value, new Map(Object.entries(directories)), here);
  return found.ok ? found.value.map(({ at: _, ...target }) => target) : told(found.error);
}

function decodeText(text: string) {
  return decodeFleet(readGeneral("fleet.yaml", new TextEncoder().encode(text)));
}

const rest = "key: { env: K }, state: s3://b/x";

test("a pattern makes a target of each directory, and fills in its name", () => {
  const entry =
    '- { pattern: eu/*, name: "${name}-eu", endpoint: "https://${name}.eu.example/a", account: "a-${name}", key: { env: "ROSTER_KEY_${NAME}" }, state: "s3://b/${name}.json" }';
  expect(expanded(entry, { "eu/*": ["de-1", "fr.2"] })).toEqual([
    {
      name: "de-1-eu",
      roster: ["eu/de-1"],
      endpoint: "https://de-1.eu.example/a",
      origin: "https://de-1.eu.example",
      account: "a-de-1",
      key: { env: "ROSTER_KEY_DE_1" },
      state: "s3://b/de-1.json",
    },
    {
      name: "fr.2-eu",
      roster: ["eu/fr.2"],
      endpoint: "https://fr.2.eu.example/a",
      origin: "https://fr.2.eu.example",
      account: "a-fr.2",
      key: { env: "ROSTER_KEY_FR_2" },
      state: "s3://b/fr.2.json",
    },
  ]);
});

test("staging and production are two targets of one roster", () => {
  const entries = [
    "- { name: staging, roster: r, endpoint: https://s.example, key: { file: k }, state: file:s.json }",
    "- { name: production, roster: [r], endpoint: https://p.example, key: { command: [pass, p] }, state: file:p.json }",
  ].join("\n");
  expect(expanded(entries)).toEqual([
    {
      name: "staging",
      roster: ["r"],
      endpoint: "https://s.example",
      origin: "https://s.example",
      key: { file: "k" },
      state: "file:s.json",
    },
    {
      name: "production",
      roster: ["r"],
      endpoint: "https://p.example",
      origin: "https://p.example",
      key: { command: ["pass", "p"] },
      state: "file:p.json",
    },
  ]);
});

test.each(["a b", "-x", "_x", "a/b", "a@b", "a:b", "é", "a${name}", "a".repeat(101)])(
  "a directory %j makes no target",
  (name) => {
    const entry = '- { pattern: "*", endpoint: https://a.example, key: { env: K }, state: "file:${name}" }';
    expect(expanded(entry, { "*": [name] })).toEqual([`3: bad-value: \`${name}\` cannot be the name of a target.`]);
  },
);

describe("the host of an address of a pattern ends with fixed text:", () => {
  const of = (endpoint: string, state = "file:${name}") =>
    expanded(`- { pattern: "*", endpoint: "${endpoint}", key: { env: K }, state: "${state}" }`, { "*": ["a"] });

  test.each([
    "https://${name}.eu.example",
    "https://api-${name}.example:8443/${name}",
    "https://${name}@db.example/x",
    "https://accounts.example/${name}?x=${name}",
  ])("%s is taken", (endpoint) => {
    expect(of(endpoint)).toMatchObject([{ name: "a" }]);
  });

  test.each([
    "https://${name}",
    "https://${name}/accounts",
    "https://${name}:443/a.example",
    "https://api-${name}",
    "https://${name}\\\\.example",
    "https://${name}.",
    "https://a@${name}?.example",
    "https://accounts.example:${name}",
    "${name}",
    "https:${name}.example",
  ])("%s is not", (endpoint) => {
    expect(of(endpoint)).toEqual([expect.stringMatching(/^3: bad-value: /u)]);
  });

  test.each(["s3://${name}/x", "postgres://u@/d?host=${name}", "s3://b/${name}?endpoint=https://${name}.example"])(
    "the state %s is not",
    (state) => {
      const codes = of("https://a.example", state).map((fault) => /bad-value/u.test(String(fault)));
      expect(codes).toEqual([true]);
    },
  );
});

describe("each target has a name and a state of its own:", () => {
  const target = (name: string, state: string) =>
    `- { name: ${name}, roster: r, endpoint: https://a.example, key: { env: K }, state: "${state}" }`;
  const both = (one: string, other: string) => expanded(`${target("a", one)}\n${target("b", other)}`);

  test("names that differ in letter case alone are one name", () => {
    expect(expanded(`${target("Acme", "s3://b/1")}\n${target("acme", "s3://b/2")}`)).toEqual([
      "4: duplicate: The target acme is there already, at fleet.yaml:3:3.",
    ]);
  });

  test.each([
    ["file:s.json", "file:./x/../s.json"],
    ["file:s.json", "file:///fleet/s.json"],
    ["s3://b/k", "s3://b/k?region=eu-west-1"],
    ["postgres://u@DB.example/d?name=x", "postgresql://v:p@db.example/d?sslmode=require&name=x"],
    ["postgres://db/d", "postgres://db/d?name=roster"],
    ["postgres:///d?host=h", "postgres://h/d"],
  ])("%s and %s are one state", (one, other) => {
    expect(both(one, other)).toEqual(["4: duplicate: The targets a and b have one state."]);
  });

  test.each([
    ["file:a.json", "file:b.json"],
    ["s3://b/k", "s3://c/k"],
    ["postgres://db/d?name=x", "postgres://db/d?name=y"],
  ])("%s and %s are two states", (one, other) => {
    expect(both(one, other)).toHaveLength(2);
    expect(both(one, other)).toMatchObject([{ name: "a" }, { name: "b" }]);
  });

  test("a pattern names its state by the directory", () => {
    const entry = `- { pattern: "*", endpoint: https://a.example, ${rest} }`;
    expect(expanded(entry, { "*": ["a", "b"] })).toEqual(["3: duplicate: The targets a and b have one state."]);
  });

  test("two directories have no variable together", () => {
    const entry = '- { pattern: "*", endpoint: https://a.example, key: { env: "K_${NAME}" }, state: "file:${name}" }';
    expect(expanded(entry, { "*": ["a-b", "a_b"] })).toEqual([
      "3: duplicate: The directories a-b and a_b both have the `${NAME}` A_B.",
    ]);
  });

  test("a pattern that matches nothing is an error", () => {
    const entry = '- { pattern: "x/*", endpoint: https://a.example, key: { env: K }, state: "file:${name}" }';
    expect(expanded(entry)).toEqual(["3: bad-value: No directory matches `x/*`."]);
  });
});

const faultsOf = (text: string) => {
  const decoded = decodeText(text);
  return decoded.ok ? decoded.value.defaults : decoded.error;
};

const openTarget = "- { name: a, roster: r, endpoint: https://a.example, state: s3://b/a, key:";

test.each(["pre1.s3cret-s3cret", "{ value: pre1.s3cret-s3cret }", "{ env: A, value: pre1.s3cret-s3cret }", "[s3cret]"])(
  "a key is never a value, and the error does not show it: %s",
  (key) => {
    const [fault, ...others] = [faultsOf(`version: 1\ntargets:\n  ${openTarget} ${key} }\n`)].flat();
    expect(fault).toMatchObject({ code: "bad-value", message: "`key` must be `env`, `file` or `command`." });
    expect([JSON.stringify(fault).includes("s3cret"), others]).toEqual([false, []]);
  },
);

test("four targets run at once, with ten calls to an origin, unless the file says otherwise", () => {
  const rest = `targets:\n  ${openTarget} { env: A } }\n`;
  expect(faultsOf(`version: 1\n${rest}`)).toEqual({ parallelism: 4, callsPerOrigin: 10 });
  expect(faultsOf(`version: 1\ndefaults: { parallelism: 8 }\n${rest}`)).toEqual({ parallelism: 8, callsPerOrigin: 10 });
});

const uneven = "2:20: `defaults.every` does not divide an hour or a day into equal parts.";

test.each<readonly [string, object | string]>([
  ["every: 15m", { every: 900_000 }],
  ["every: 1h", { every: 3_600_000 }],
  ["every: 1d", { every: 86_400_000 }],
  ["callsPerSecond: 20, maxAge: 2h30m", { callsPerSecond: 20, maxAge: 9_000_000 }],
  ...["7m", "90m", "30s", "2d", "0"].map((time) => [`every: ${time}`, uneven] as const),
  ["maxAge: 26", "2:21: `defaults.maxAge` is not understood: a duration has a unit, such as 26s or 26m."],
  ["callsPerSecond: 0", "2:29: `defaults.callsPerSecond` must be a whole number from 1 to 10000, not 0."],
])("the file says what all workers share: %s", (written, said) => {
  const text = `version: 1\ndefaults: { ${written} }\ntargets:\n  ${openTarget} { env: A } }\n`;
  const decoded = decodeText(text);
  const faults = decoded.ok ? [] : decoded.error;
  const told = faults.map(({ place, message }) => `${place?.line}:${place?.column}: ${message}`).join();
  expect(decoded.ok ? decoded.value.defaults : told).toEqual(
    typeof said === "string" ? said : { parallelism: 4, callsPerOrigin: 10, ...said },
  );
});

const at = (name: string, origin: string) => ({ ...fleetTarget(name), origin });

test("the next target is of the origin of which the fewest run, the first in the fleet first", () => {
  const inTurn = targetsInTurn([
    at("a1", "https://a.example"),
    at("a2", "https://a.example"),
    at("a3", "https://a.example"),
    at("b1", "https://b.example"),
    at("b2", "https://b.example"),
    at("none", "not an address"),
  ]);
  const take = () => inTurn.next().value ?? undefined;
  const taken = [take(), take(), take(), take()];
  expect(taken.map((one) => one?.target.name)).toEqual(["a1", "b1", "none", "a2"]);
  taken[1]?.end();
  expect([take(), take(), take()].map((one) => one?.target.name)).toEqual(["b2", "a3", undefined]);
});

test("an origin is scheme, host and port; an endpoint that is no address is one of its own", () => {
  const of = (endpoint: string) => expanded(`- { name: a, roster: r, endpoint: "${endpoint}", ${rest} }`);
  expect(of("https://A.example:443/x")).toMatchObject([{ origin: "https://a.example" }]);
  expect(of("not an address")).toMatchObject([{ origin: "not an address" }]);
});
