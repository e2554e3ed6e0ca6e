import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Action } from "../../src/model/action.ts";
import { foldAddress } from "../../src/model/address.ts";
import type { Finding } from "../../src/model/finding.ts";
import { rosterFormat } from "../../src/roster/format.ts";
import { formatYaml } from "../../src/yaml/format.ts";
import { readYaml } from "../../src/yaml/read.ts";
import { type Json, mutatedDocument, rosterDocument } from "../support/arbitrary-documents.ts";
import { planned } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { picker } from "../support/random-situations.ts";
import { rosterFrom } from "../support/roster-text.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import { aWorld, putUser } from "../support/simulated-world.ts";
import { untidy } from "../support/untidy-yaml.ts";

// Slow machines may take their time; the number of runs is what is bounded.
const drawn = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: rosterDocument }, { weight: 1, arbitrary: mutatedDocument }), fc.nat())
  .map(([document, seed]) => (isMap(document) ? untidy(document, picker(seed)) : ""))
  .filter((text) => readYaml("f", encode(text)).tree !== undefined);

function isMap(document: Json): document is { readonly [name: string]: Json } {
  return typeof document === "object" && document !== null && !Array.isArray(document);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function formatted(text: string): string {
  const result = formatYaml("f", encode(text), rosterFormat);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join(" "));
  return new TextDecoder().decode(result.value);
}

function remarksIn(text: string): readonly string[] {
  return [...text.matchAll(/# remark \d+/gu)].map(([remark]) => remark).sort();
}

test("a formatted file is formatted already, whatever it holds and however it was written", () => {
  fc.assert(
    fc.property(drawn, (text) => {
      const once = formatted(text);
      expect(formatted(once)).toBe(once);
    }),
    { seed: 61, numRuns: runs(500) },
  );
});

test("formatting keeps every comment, once", () => {
  fc.assert(
    fc.property(drawn, (text) => {
      expect(remarksIn(formatted(text))).toEqual(remarksIn(text));
    }),
    { seed: 62, numRuns: runs(300) },
  );
});

test("formatting changes no value, and the order of nothing whose order says something", () => {
  fc.assert(
    fc.property(drawn, (text) => {
      const [before, after] = [text, formatted(text)].map((one) => sorted(parse(one, { schema: "failsafe" }), []));
      expect(after).toEqual(before);
    }),
    { seed: 63, numRuns: runs(300) },
  );
});

const names = ["ada", "bo", "cy", "di", "eve", "fay"];
const some = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 5 });
const roles = fc.uniqueArray(fc.constantFrom("DEVELOPER", "TEAM_ROLE", "AUDITOR"), { maxLength: 3 });
const companies = fc.record({
  order: fc.shuffledSubarray(names, { minLength: names.length }),
  ownKeyRoles: fc.option(roles),
  group: some,
  teams: fc.array(
    fc.record({ members: some, admin: fc.nat(4), withGroup: fc.boolean(), roles: fc.option(roles), own: roles }),
    { minLength: 1, maxLength: 4 },
  ),
  seed: fc.nat(),
});

test("a plan from a formatted roster is that from the roster as it was", () => {
  fc.assert(
    fc.property(companies, ({ order, ownKeyRoles, group, teams, seed }) => {
      const email = (name: string) => `${name}@acme.example`;
      const document: Json = {
        teams: teams.map(({ members, admin, withGroup, roles: all, own }, at) => ({
          members: [
            ...members.map((name, place): Json => (place === 0 ? { roles: own, user: email(name) } : email(name))),
            ...(withGroup ? [{ group: "g" }] : []),
          ],
          ...(all === null ? {} : { roles: [...all, { set: "s" }] }),
          ...(admin < members.length ? { admin: email(members[admin] ?? "") } : {}),
          name: `T${9 - at}`,
        })),
        keys: [
          { roles: ["AUDITOR"], prefix: "z" },
          { prefix: "a", roles: [] },
        ],
        users: order.map((name, at) => ({
          lastName: "X",
          email: email(name),
          firstName: name,
          ...(at === 0 && ownKeyRoles !== null ? { ownKeyRoles } : {}),
        })),
        groups: { g: group.map(email) },
        roleSets: { s: ["TEAM_ROLE", "DEVELOPER"] },
        account: "acc-1",
        version: 1,
      };
      const text = untidy(document, picker(seed));
      const world = aWorld({ accounts: ["acc-1"] });
      putUser(world, { email: "root@acme.example" });
      putUser(world, { email: email("cy") });
      const [before, after] = [text, formatted(text)].map((one) => {
        const { roster } = rosterFrom({ "r.yaml": one });
        if (roster === undefined) throw new Error("no roster");
        const plan = planned({ roster, snapshot: snapshotOf(world, { roster }) });
        return { id: plan.id, actions: plan.actions.map(withoutPlaces), findings: plan.findings.map(withoutPlaces) };
      });
      expect(after).toEqual(before);
    }),
    { seed: 66, numRuns: runs(150) },
  );
});

function withoutPlaces(told: Action | Finding) {
  const restsOn = told.restsOn.map(({ about, fact }) => ({ about, fact: { ...fact, place: undefined } }));
  return { ...told, restsOn, because: told.because.map(({ as, name }) => ({ as, name })) };
}

const setsOfRoster = new Set(["users", "leavers", "keys", "members", "roles", "ownKeyRoles"]);

/** A document without the order of what is a set to roster. */
function sorted(part: unknown, path: readonly string[]): unknown {
  const [section] = path;
  if (Array.isArray(part)) {
    const items = part.map((item) => sorted(item, [...path, "-"]));
    const isSet =
      setsOfRoster.has(path.at(-1) ?? "") || ((section === "groups" || section === "roleSets") && path.length === 2);
    return isSet ? items.map((item) => JSON.stringify(item)).sort() : items;
  }
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .map(([key, value]) => [key, sorted(value, [...path, key])] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const people = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom("ada", "Bo", "cy", "di", "eve", "Fay"), fc.constantFrom("@a.example", "@B.example"))
    .map((parts) => parts.join("")),
  { minLength: 2, maxLength: 8 },
);

test("people are sorted by address, and each comment above or behind somebody goes with them", () => {
  fc.assert(
    fc.property(people, fc.nat(), (emails, seed) => {
      const pick = picker(seed);
      const entries = emails.map((email) => {
        const above = pick(2) === 0 ? `  # above ${email}\n` : "";
        const gap = pick(3) === 0 ? "\n" : "";
        const names = { firstName: "A", lastName: "B" };
        const isBlock = pick(2) === 0;
        const written = isBlock
          ? `  - firstName: A\n    email: ${email} # of ${email}\n    lastName: B\n`
          : `  - { firstName: ${names.firstName}, lastName: B, email: ${email} } # of ${email}\n`;
        return `${gap}${above}${written}`;
      });
      const lines = formatted(`version: 1\nusers:\n${entries.join("")}`).split("\n");
      const order = lines.flatMap((line) => /email: (\S+?)[, ]/u.exec(line)?.[1] ?? []);
      expect(order).toEqual(emails.toSorted((a, b) => (foldAddress(a) < foldAddress(b) ? -1 : 1)));
      for (const [at, line] of lines.entries()) {
        const of = /# (?:above|of) (\S+)$/u.exec(line)?.[1];
        if (of === undefined) continue;
        expect(line.includes("# above") ? lines[at + 1] : line).toContain(`email: ${of}`);
      }
    }),
    { seed: 64, numRuns: runs(300) },
  );
});
